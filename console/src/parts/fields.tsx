import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly value: Signal<string>
  /** Said below the field. */
  readonly hint?: ComponentChildren
  readonly placeholder?: string
  readonly required?: boolean
  /** Whether it is for long text, such as an address. */
  readonly isWide?: boolean
}

/** A line of text. */
export function TextField({ label, value, hint, placeholder, required, isWide }: FieldProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint}>
      <input
        id={id}
        class={isWide === true ? 'wide' : undefined}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        autocomplete="off"
        spellcheck={false}
        required={required}
        placeholder={placeholder}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
    </Labelled>
  )
}

/** Text of several lines, such as JSON. */
export function TextArea({ label, value, hint, placeholder, rows }: FieldProps & { readonly rows?: number }) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint}>
      <textarea
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        class="code"
        rows={rows ?? 3}
        spellcheck={false}
        placeholder={placeholder}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
    </Labelled>
  )
}

interface LabelledProps extends Pick<FieldProps, 'label' | 'hint'> {
  readonly id: string
  readonly children: ComponentChildren
}

/** The hint describes the field, and is no part of its name. */
function Labelled({ id, label, hint, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
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
