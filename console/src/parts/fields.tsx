import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface FieldProps {
  readonly label: string
  readonly value: Signal<string>
  /** Said below the field. */
  readonly hint?: ComponentChildren
  readonly placeholder?: string
  readonly required?: boolean
}

/** A line of text. */
export function TextField({ label, value, hint, placeholder, required }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        autocomplete="off"
        spellcheck={false}
        required={required}
        placeholder={placeholder}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

/** Text of several lines, such as JSON. */
export function TextArea({ label, value, hint, placeholder, rows }: FieldProps & { readonly rows?: number }) {
  return (
    <label class="field">
      <span>{label}</span>
      <textarea
        class="code"
        rows={rows ?? 3}
        spellcheck={false}
        placeholder={placeholder}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

interface ChoiceProps<Name extends string> {
  readonly label: string
  readonly value: Signal<Name>
  /** Text of each choice by its value. */
  readonly choices: Readonly<Record<Name, string>>
}

/** One of a few. */
export function Choice<Name extends string>({ label, value, choices }: ChoiceProps<Name>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.value as Name
        }}
      >
        {Object.entries<string>(choices).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Yes or no. */
export function Check({ label, value }: { readonly label: string; readonly value: Signal<boolean> }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.checked
        }}
      />
      <span>{label}</span>
    </label>
  )
}
