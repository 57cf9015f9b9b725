import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { ResultOf } from '../../../../src/admin/operations.ts'
import { completeRules } from './rules-completion.ts'
import { rulesLanguage } from './rules-language.ts'

type Problem = ResultOf<'rules-check'>['problems'][number]

/** Pause of typing after which the text is checked, in ms. */
const CHECK_AFTER_MS = 400

/** What an editor needs. */
export interface EditorOptions {
  readonly parent: HTMLElement
  readonly text: string
  /** Mistakes in a text. */
  readonly check: (text: string) => Promise<readonly Problem[]>
  readonly onChange: (text: string) => void
}

/** An editor on the page. */
export interface Editor {
  /** Replaces the text as one step that can be undone. */
  setText(text: string): void
  end(): void
}

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--ground)', color: 'var(--text)', border: '1px solid var(--line)', fontSize: '0.9rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', minHeight: '16rem', maxHeight: '60vh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: '16rem' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--faint)', borderRight: '1px solid var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'inherit', opacity: '0.8' },
  // No background: browsers keep that of a replaced text in an inline style, which the policy of the page blocks.
  '.cm-matchingBracket, .cm-nonmatchingBracket, &.cm-focused .cm-matchingBracket, &.cm-focused .cm-nonmatchingBracket':
    {
      backgroundColor: 'transparent',
      outline: '1px solid var(--faint)',
    },
  '.cm-diagnostic': { fontFamily: 'inherit' },
  '.cm-changedLine': { backgroundColor: 'var(--added) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--removed) !important' },
  '.cm-collapsedLines': { background: 'var(--raised)', color: 'var(--text)' },
})

const highlighting = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.propertyName, color: 'var(--text)' },
  { tag: tags.special(tags.variableName), color: 'var(--code-key)' },
  { tag: tags.standard(tags.variableName), color: 'var(--accent)' },
  { tag: [tags.string, tags.regexp], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool], color: 'var(--code-number)' },
  { tag: tags.operator, color: 'var(--faint)' },
  { tag: tags.invalid, color: 'var(--danger)' },
])

/** Puts an editor of rules on the page. */
export function createEditor({ parent, text, check, onChange }: EditorOptions): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...shared('Rules'),
        history(),
        drawSelection(),
        indentOnInput(),
        closeBrackets(),
        autocompletion({ override: [completeRules] }),
        // Tab stays with the page, so that the keyboard leads out of the editor.
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
        lintGutter(),
        linter(async ({ state }) => diagnosticsOf(state.doc, await check(state.doc.toString())), {
          delay: CHECK_AFTER_MS,
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setText: (next) => {
      if (next === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    end: () => view.destroy(),
  }
}

/** Shows what a new text changes. @returns takes it off the page */
export function showDifference(parent: HTMLElement, before: string, after: string): () => void {
  const merge = unifiedMergeView({
    original: before,
    mergeControls: false,
    gutter: true,
    collapseUnchanged: { margin: 3, minSize: 6 },
    diffConfig: { scanLimit: 2000, timeout: 200 },
  })
  const readOnly = [EditorState.readOnly.of(true), EditorView.editable.of(false)]
  const state = EditorState.create({ doc: after, extensions: [...shared('Changes of the rules'), ...readOnly, merge] })
  const view = new EditorView({ parent, state })
  return () => view.destroy()
}

/** What every view of rules has. */
function shared(label: string): readonly Extension[] {
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
  return [
    ...(nonce === undefined || nonce === '' ? [] : [EditorView.cspNonce.of(nonce)]),
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.lineWrapping,
    lineNumbers(),
    rulesLanguage,
    bracketMatching(),
    syntaxHighlighting(highlighting),
    theme,
  ]
}

function diagnosticsOf(doc: Text, problems: readonly Problem[]): readonly Diagnostic[] {
  return problems.map(({ message, line, column, length, severity }) => {
    const { from: start, to: end } = doc.line(Math.min(Math.max(line, 1), doc.lines))
    const from = Math.min(start + Math.max(column - 1, 0), end)
    return { from, to: length === undefined ? end : Math.min(from + length, doc.length), message, severity }
  })
}
