import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { wordsOf } from '../shell/call-error.ts'
import { checkRules } from './check-rules.ts'
import type { Editor } from './editor.ts'

interface EditorBoxProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** The editor of rules, loaded when it is first shown. A text that did not come from it replaces its own. */
export function EditorBox({ text, onChange }: EditorBoxProps) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | undefined>(undefined)
  const current = useRef({ text, shown: text, onChange })
  const error = useSignal<string | undefined>(undefined)
  const isLoading = useSignal(true)
  current.current.text = text
  current.current.onChange = onChange
  useEffect(() => {
    let isOver = false
    const load = async () => {
      const { createEditor } = await import('./editor.ts')
      if (isOver || place.current === null) return
      current.current.shown = current.current.text
      editor.current = createEditor({
        parent: place.current,
        text: current.current.text,
        check: checkRules,
        onChange: (next) => {
          current.current.shown = next
          current.current.onChange(next)
        },
      })
      isLoading.value = false
    }
    load().catch((thrown) => {
      error.value = wordsOf(thrown)
    })
    return () => {
      isOver = true
      editor.current?.end()
    }
  }, [])
  useEffect(() => {
    if (text !== current.current.shown) editor.current?.setText(text)
  }, [text])
  return (
    <>
      <div ref={place} class="editor" />
      {isLoading.value && error.value === undefined && <p role="status">Loading the editor…</p>}
      {error.value !== undefined && (
        <p role="alert" class="failure">
          {error.value}
        </p>
      )}
    </>
  )
}

interface DifferenceProps {
  readonly before: string
  readonly after: string
}

/** What a new text of rules changes. */
export function Difference({ before, after }: DifferenceProps) {
  const place = useRef<HTMLDivElement>(null)
  const error = useSignal<string | undefined>(undefined)
  useEffect(() => {
    let end: (() => void) | undefined
    let isOver = false
    const load = async () => {
      const { showDifference } = await import('./editor.ts')
      if (!isOver && place.current !== null) end = showDifference(place.current, before, after)
    }
    load().catch((thrown) => {
      error.value = wordsOf(thrown)
    })
    return () => {
      isOver = true
      end?.()
    }
  }, [before, after])
  return (
    <>
      <div ref={place} class="difference" />
      {error.value !== undefined && (
        <p role="alert" class="failure">
          {error.value}
        </p>
      )}
    </>
  )
}
