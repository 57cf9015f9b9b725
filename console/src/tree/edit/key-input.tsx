import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Longest key, in bytes of UTF-8. */
const MOST_BYTES = 768
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what keys must not have
const FORBIDDEN = /[.$#[\]/\u0000-\u001f\u007f]/

/** Why a text cannot be a key; `undefined` where it can. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'A key has at least one character.'
  if (FORBIDDEN.test(key)) return 'A key has none of . $ # [ ] / and no control characters.'
  if (!key.isWellFormed()) return 'A key has no lone surrogates.'
  if (new TextEncoder().encode(key).byteLength > MOST_BYTES) return `A key has at most ${MOST_BYTES} bytes.`
  return undefined
}

interface KeyInputProps {
  readonly name: string
  readonly onSave: (key: string) => void
  readonly onCancel: () => void
}

/** Edits a key in its row. Enter saves, Escape leaves. */
export function KeyInput({ name, onSave, onCancel }: KeyInputProps) {
  const text = useSignal(name)
  const error = useSignal('')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  const save = () => {
    const problem = keyProblem(text.value)
    if (problem === undefined) onSave(text.value)
    else error.value = problem
  }
  return (
    <form
      class="edit"
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Escape') onCancel()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <input
        ref={input}
        aria-label="New key"
        aria-invalid={error.value !== ''}
        value={text.value}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => {
          text.value = event.currentTarget.value
          error.value = ''
        }}
      />
      <button type="submit">Save</button>
      <button type="button" class="quiet" onClick={onCancel}>
        Cancel
      </button>
      {error.value !== '' && (
        <span class="error" role="alert">
          {error.value}
        </span>
      )}
    </form>
  )
}
