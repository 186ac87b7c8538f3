import { useEffect, useRef } from 'react'
import { basicSetup, EditorView } from 'codemirror'
import { Compartment, EditorState } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { LanguageDescription, syntaxHighlighting } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { unifiedMergeView } from '@codemirror/merge'
import { classHighlighter } from '@lezer/highlight'
import { lineSeparator } from './line_endings'
import styles from './text_editor.module.css'

interface TextEditorProps {
  name: string
  /** The accessible name. Default `Text of {name}`. */
  label?: string
  /** Initial text. Later changes of this prop are ignored. */
  content: string
  onChange: (text: string) => void
  onSave: () => void
  /** Called on Ctrl+Enter. */
  onRun?: () => void
}

const editorTheme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--b-sheet)', color: 'var(--b-text)' },
  '.cm-scroller': { fontFamily: 'var(--b-mono)', fontSize: '13px', lineHeight: '1.6' },
  '.cm-gutters': {
    backgroundColor: 'var(--b-sheet)',
    color: 'var(--b-dim)',
    borderRight: '1px solid var(--b-line)',
  },
  '.cm-content': { caretColor: 'var(--b-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--b-text)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--b-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--b-selected)' },
  '.cm-panels': { backgroundColor: 'var(--b-raised)', color: 'var(--b-text)' },
})

/** Returns null if the file's language is unknown. */
async function loadLanguage(name: string) {
  const language = LanguageDescription.matchFilename(languages, name)
  return language ? await language.load() : null
}

function applyLanguage(view: EditorView, language: Compartment, name: string) {
  void loadLanguage(name)
    .then((support) => support && view.dispatch({ effects: language.reconfigure(support) }))
    .catch(() => {})
}

/** Ctrl+F searches, Ctrl+S saves. Tab leaves the editor. In a snippet, press Escape first. */
export default function TextEditor(props: TextEditorProps) {
  const { name, label = `Text of ${name}`, content, onChange, onSave, onRun } = props
  const element = useRef<HTMLDivElement>(null)
  const callbacks = useRef({ onChange, onSave, onRun })
  const first = useRef(content)
  useEffect(() => {
    callbacks.current = { onChange, onSave, onRun }
  })

  useEffect(() => {
    const language = new Compartment()
    const save = () => {
      callbacks.current.onSave()
      return true
    }
    const run = () => {
      callbacks.current.onRun?.()
      return callbacks.current.onRun !== undefined
    }
    const view = new EditorView({
      parent: element.current!,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorState.lineSeparator.of(lineSeparator(first.current)),
          keymap.of([
            { key: 'Mod-s', preventDefault: true, run: save },
            { key: 'Mod-Enter', run },
          ]),
          basicSetup,
          syntaxHighlighting(classHighlighter),
          language.of([]),
          editorTheme,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) callbacks.current.onChange(state.sliceDoc())
          }),
        ],
      }),
    })
    applyLanguage(view, language, name)
    view.focus()
    return () => view.destroy()
  }, [name, label])

  return <div ref={element} className={styles.editor} />
}

interface TextDiffProps {
  name: string
  before: string
  after: string
  compact?: boolean
}

/** Shows the text `after`. Lines that only `before` has appear between its lines, as removed ones. */
export function TextDiff({ name, before, after, compact }: TextDiffProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const language = new Compartment()
    const view = new EditorView({
      parent: element.current!,
      state: EditorState.create({
        doc: after,
        extensions: [
          EditorState.lineSeparator.of('\n'),
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          basicSetup,
          syntaxHighlighting(classHighlighter),
          language.of([]),
          editorTheme,
          EditorView.contentAttributes.of({ 'aria-label': `Changes of ${name}` }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            collapseUnchanged: { margin: 3 },
          }),
        ],
      }),
    })
    applyLanguage(view, language, name)
    return () => view.destroy()
  }, [name, before, after])

  if (!compact) return <div ref={element} className={styles.editor} />
  // Focusable, because the keyboard can scroll only an element that can have the focus.
  return <div ref={element} tabIndex={0} className={`${styles.editor} ${styles.compact}`} />
}
