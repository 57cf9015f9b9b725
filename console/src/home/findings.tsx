import type { ResultOf } from '../../../src/admin/operations.ts'
import { countText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'

type Finding = ResultOf<'doctor'>[number]

const WORDS = { problem: 'Problem', warn: 'Warning', ok: 'Good' } as const
const ORDER = ['problem', 'warn', 'ok'] as const

/** What `dhole doctor` finds, the worst first. It examines when the page opens, and when asked. */
export function Findings() {
  const findings = usePolled((signal) => call('doctor', {}, signal), [])
  return (
    <section aria-labelledby="findings-title">
      <header class="heading">
        <h2 id="findings-title">Findings</h2>
        <button type="button" onClick={findings.refresh}>
          Examine again
        </button>
      </header>
      <Fetched of={findings}>{(found) => <Found found={found} />}</Fetched>
    </section>
  )
}

function Found({ found }: { readonly found: readonly Finding[] }) {
  const bad = ORDER.slice(0, 2).flatMap((level) => found.filter((finding) => finding.level === level))
  const good = found.filter(({ level }) => level === 'ok')
  // The questions of every day: how long the certificate is valid, how much room the disk has.
  const daily = good.filter(
    ({ title, detail }) => /^disk|more days/.test(`${title} ${detail ?? ''}`) || title === 'disk',
  )
  const others = good.filter((finding) => !daily.includes(finding))
  return (
    <>
      {bad.length === 0 && <p class="state ok">Nothing needs attention.</p>}
      <ul class="findings">
        {[...bad, ...daily].map((finding) => (
          <FindingLine key={`${finding.title} ${finding.detail}`} finding={finding} />
        ))}
      </ul>
      <details>
        <summary>{countText(others.length, 'check')} more without a finding</summary>
        <ul class="findings">
          {others.map((finding) => (
            <FindingLine key={`${finding.title} ${finding.detail}`} finding={finding} />
          ))}
        </ul>
      </details>
    </>
  )
}

function FindingLine({ finding: { level, title, detail, fix } }: { readonly finding: Finding }) {
  return (
    <li class={level}>
      <strong>{WORDS[level]}</strong> {title}
      {detail !== undefined && `: ${detail}`}
      {fix !== undefined && <div class="fix">What to do: {fix}</div>}
    </li>
  )
}
