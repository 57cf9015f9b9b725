import { useSignal } from '@preact/signals'
import { ActionButton } from '../parts/action-button.tsx'
import { Choice } from '../parts/fields.tsx'
import { toast } from '../shell/toasts.tsx'
import { TreeClient } from '../shell/tree-client.ts'

const SIZES = {
  tiny: 'tiny: about 1 second',
  small: 'small: about 10 seconds',
  medium: 'medium: about 30 seconds',
  large: 'large: about 60 seconds',
  unlimited: 'unlimited',
} as const
type Size = keyof typeof SIZES

interface WriteSizeLimitProps {
  readonly id: string
  /** What is in force. */
  readonly size: string
  /** Called when it is changed. */
  readonly onChanged: () => void
}

/** Sets how long a write may take by its estimate, unless the write says so itself. It is stored beside the tree. */
export function WriteSizeLimit({ id, size, onChanged }: WriteSizeLimitProps) {
  const chosen = useSignal<Size>(Object.hasOwn(SIZES, size) ? (size as Size) : 'unlimited')
  const change = async () => {
    const body = JSON.stringify(chosen.value)
    await new TreeClient(id, '').ask(['.settings', 'defaultWriteSizeLimit'], { method: 'PUT', body })
    toast(`Writes to “${id}” are limited to “${chosen.value}”.`)
    onChanged()
  }
  return (
    <section aria-labelledby="size-title">
      <h3 id="size-title">Size of writes</h3>
      <p class="hint">
        A write that is estimated to take longer is refused, unless it has a writeSizeLimit of its own.
      </p>
      <div class="fields">
        <Choice label="Longest write" value={chosen} choices={SIZES} />
      </div>
      <div class="actions">
        <ActionButton run={change}>Set the size of writes</ActionButton>
      </div>
    </section>
  )
}
