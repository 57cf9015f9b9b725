import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Leaf } from '../model/detail.ts'

/** Types that a person can choose for a value. */
type ValueType = 'text' | 'number' | 'boolean' | 'json'

const TYPES: Readonly<Record<ValueType, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  json: 'JSON',
}

interface ValueInputProps {
  /** What is there at first; `undefined` begins with empty text. */
  readonly value: Leaf | undefined
  readonly label: string
  /** Called with JSON. */
  readonly onSave: (json: string) => void
  readonly onCancel: () => void
}

/** Edits one value and its type in a row. Enter saves, Escape leaves. */
export function ValueInput({ value, label, onSave, onCancel }: ValueInputProps) {
  const type = useSignal<ValueType>(typeOf(value))
  const text = useSignal(value === undefined ? '' : String(value))
  const error = useSignal('')
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null)
  useEffect(() => input.current?.focus(), [type.value === 'boolean'])
  const save = () => {
    const json = jsonOf(type.value, text.value)
    if (json === undefined) error.value = type.value === 'number' ? 'not a number' : 'not valid JSON'
    else onSave(json)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter') {
      event.preventDefault()
      save()
    }
  }
  const change = (changed: string) => {
    text.value = changed
    error.value = ''
  }
  const choose = (chosen: ValueType) => {
    type.value = chosen
    if (chosen === 'boolean') text.value = text.value === 'true' ? 'true' : 'false'
    error.value = ''
  }
  return (
    <form
      class="edit"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <select aria-label="Type" value={type.value} onChange={(event) => choose(event.currentTarget.value as ValueType)}>
        {Object.entries(TYPES).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      {type.value === 'boolean' ? (
        <select
          ref={input}
          aria-label={label}
          value={text.value}
          onChange={(event) => change(event.currentTarget.value)}
        >
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input
          ref={input}
          aria-label={label}
          aria-invalid={error.value !== ''}
          value={text.value}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
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

function typeOf(value: Leaf | undefined): ValueType {
  const type = typeof value
  return type === 'number' || type === 'boolean' ? type : 'text'
}

/** JSON of what was typed; `undefined` where it is none. */
function jsonOf(type: ValueType, text: string): string | undefined {
  if (type === 'text') return JSON.stringify(text)
  if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : undefined
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}
