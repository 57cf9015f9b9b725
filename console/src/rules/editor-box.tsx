import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { wordsOf } from '../shell/call-error.ts'
import { checkRules } from './check-rules.ts'
import type { Draft } from './drafts.ts'
import type { Editor } from './editor.ts'

/** The editor of a draft, loaded when it is first shown. */
export function EditorBox({ draft }: { readonly draft: Draft }) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  const isLoading = useSignal(true)
  useEffect(() => {
    let isOver = false
    const load = async () => {
      const { createEditor } = await import('./editor.ts')
      if (isOver || place.current === null) return
      const onChange = (text: string) => {
        draft.text.value = text
      }
      editor.current = createEditor({ parent: place.current, text: draft.text.peek(), check: checkRules, onChange })
      isLoading.value = false
    }
    load().catch((thrown) => {
      error.value = wordsOf(thrown)
    })
    return () => {
      isOver = true
      editor.current?.end()
    }
  }, [draft])
  // Typing changes the text too, and is faster than this: only what else replaces it goes back into the editor.
  const replacements = draft.replacements.value
  useEffect(() => {
    if (replacements > 0) editor.current?.setText(draft.text.peek())
  }, [replacements])
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
