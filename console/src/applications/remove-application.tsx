import { useSignal } from '@preact/signals'
import { ActionButton } from '../parts/action-button.tsx'
import { Check } from '../parts/fields.tsx'
import { loadApplications } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { confirm } from '../shell/dialogs.tsx'
import { hrefOf, navigate } from '../shell/router.ts'
import { toast } from '../shell/toasts.tsx'

/** Removes an application, with or without its tree. */
export function RemoveApplication({ id }: { readonly id: string }) {
  const deleteData = useSignal(false)
  const remove = async () => {
    const isWhole = deleteData.value
    const agreed = await confirm({
      title: `Remove “${id}”`,
      text: isWhole
        ? 'Its streams end, its keys are refused, and its tree and text messages are deleted for good.'
        : 'Its streams end, and its keys are refused. Its tree stays: adding an application of the same name brings it back.',
      action: isWhole ? 'Remove with its data' : 'Remove',
      isDangerous: true,
      typed: id,
    })
    if (!agreed) return
    await call('remove', { id, deleteData: isWhole })
    toast(`The application “${id}” is removed${isWhole ? ' with its data' : '; its data stays'}.`)
    navigate(hrefOf('applications'), { replace: true })
    await loadApplications()
  }
  return (
    <section aria-labelledby="remove-title">
      <h3 id="remove-title">Remove</h3>
      <Check label="Delete its tree and text messages too" value={deleteData} />
      <div class="actions">
        <ActionButton kind="danger" run={remove}>
          Remove the application…
        </ActionButton>
      </div>
    </section>
  )
}
