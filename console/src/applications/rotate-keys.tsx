import { ActionButton } from '../parts/action-button.tsx'
import { call } from '../shell/call.ts'
import { confirm } from '../shell/dialogs.tsx'
import { session } from '../shell/session.ts'
import { showKeys } from './shown-keys.tsx'

const KEYS = {
  secret: {
    name: 'super secret',
    effect: 'The old one and every token of it are refused at once, and their streams end.',
  },
  sms: { name: 'SMS key', effect: 'Calls signed with the old one, and tokens of gateways, are refused at once.' },
} as const

/** Replaces the keys of an application. */
export function RotateKeys({ id }: { readonly id: string }) {
  const rotate = async (key: keyof typeof KEYS) => {
    const { name, effect } = KEYS[key]
    const rotation = { key }
    await call('check-rotation', { id, rotation })
    const isOwn = key === 'secret' && session.value?.role === 'application'
    const agreed = await confirm({
      title: `Replace the ${name} of “${id}”`,
      text: isOwn ? `${effect} This session ends: log in with the new one.` : effect,
      action: 'Replace',
      isDangerous: true,
      typed: id,
    })
    if (!agreed) return
    const fresh = await call('rotate', { id, rotation })
    await showKeys(`New ${name} of “${id}”`, { [name]: fresh })
  }
  return (
    <section aria-labelledby="keys-title">
      <h3 id="keys-title">Keys</h3>
      <p class="hint">Replace a key that others may know. Keys are never shown again.</p>
      <div class="actions">
        <ActionButton run={() => rotate('secret')}>Replace the super secret…</ActionButton>
        <ActionButton run={() => rotate('sms')}>Replace the SMS key…</ActionButton>
      </div>
    </section>
  )
}
