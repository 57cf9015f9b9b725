import { chosenApplication, noteOpen, openApplications } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'
import { hrefOf } from '../shell/router.ts'

/** Names the applications that everybody may read and write, but for the chosen one: every page says that of it. */
export function OpenApplications() {
  usePolled(async (signal) => noteOpen(await call('list', {}, signal)), [])
  const open = openApplications.value.filter((id) => id !== chosenApplication.value)
  if (open.length === 0) return null
  return (
    <section class="warning" aria-label="Open to everybody">
      <p>
        <strong>Open to everybody.</strong> Every client that reaches the server may read and write{' '}
        {open.map((id, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <a href={hrefOf('rules', [id])}>{id}</a>
          </span>
        ))}
        , until {open.length === 1 ? 'it has' : 'they have'} rules.
      </p>
    </section>
  )
}
