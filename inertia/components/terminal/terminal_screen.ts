import { ClipboardAddon } from '@xterm/addon-clipboard'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { copyText } from './copy_text'
import { searchHighlights, terminalThemes } from './terminal_themes'
import type { TerminalSize } from './terminal_connection'

export interface TerminalScreenOptions {
  colourScheme: 'light' | 'dark'
  fontSize: number
  screenReader: boolean
  describedBy: string
  onInput: (data: string) => void
  onResize: (size: TerminalSize) => void
  onSelection: (selected: boolean) => void
  /** `index` of the current match is -1 if there is none, or if there are too many matches to count. */
  onMatches: (matches: { index: number; count: number }) => void
  /** Handles a key before the terminal does. Returns true if the page has handled it. */
  onShortcut: (event: KeyboardEvent) => boolean
}

const TERMINAL_FONT =
  "'JetBrains Mono Variable', ui-monospace, 'SFMono-Regular', 'Noto Sans Bengali Variable', monospace"
/** Waiting time after a resize. Programs must not get every size while a window is being resized. */
const RESIZE_DEBOUNCE_MS = 80
/**
 * Escape sequence that resets modes which a program may leave on: mouse tracking, bracketed paste, hidden cursor and
 * colours.
 */
const RESET_SEQUENCE = '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[!p\x1b[0m'
/** Leaves a full-screen program's screen. It moves the cursor, so it is sent only while that screen is active. */
const LEAVE_ALTERNATE_SCREEN = '\x1b[?1049l'

/** Wraps xterm. Loaded only when a terminal is shown. */
export class TerminalScreen {
  readonly #terminal: Terminal
  readonly #options: TerminalScreenOptions
  readonly #fit = new FitAddon()
  readonly #search = new SearchAddon()
  readonly #watch: ResizeObserver
  readonly #host: HTMLElement
  #scheme: 'light' | 'dark'
  #resting: ReturnType<typeof setTimeout> | undefined
  #disposed = false
  /** Number of running replays. During a replay, input, replies to queries and clipboard writes are dropped. */
  #replays = 0

  private constructor(host: HTMLElement, options: TerminalScreenOptions) {
    this.#host = host
    this.#options = options
    this.#scheme = options.colourScheme
    this.#terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
      fontFamily: TERMINAL_FONT,
      fontSize: options.fontSize,
      lineHeight: 1.15,
      linkHandler: { activate: (_event, uri) => openLink(uri) },
      minimumContrastRatio: 4.5,
      screenReaderMode: options.screenReader,
      scrollback: 10_000,
      theme: terminalThemes[options.colourScheme],
    })
    this.#loadAddons()
    this.#terminal.onData((data) => {
      if (this.#replays === 0) options.onInput(data)
    })
    this.#terminal.onSelectionChange(() => options.onSelection(this.#terminal.hasSelection()))
    this.#search.onDidChangeResults(({ resultIndex: index, resultCount: count }) =>
      options.onMatches({ index, count })
    )
    this.#terminal.attachCustomKeyEventHandler((event) => {
      if (event.type !== 'keydown' || !options.onShortcut(event)) return true
      event.preventDefault()
      return false
    })
    this.#watch = new ResizeObserver(() => this.#fitSoon())
  }

  static async open(host: HTMLElement, options: TerminalScreenOptions): Promise<TerminalScreen> {
    await document.fonts?.load(`${options.fontSize}px ${TERMINAL_FONT}`).catch(() => [])
    const screen = new TerminalScreen(host, options)
    screen.#terminal.open(host)
    screen.#terminal.textarea?.setAttribute('aria-describedby', options.describedBy)
    screen.#fitNow()
    screen.#watch.observe(host)
    void screen.#speedUp()
    void screen.#loadBengali(options.fontSize)
    return screen
  }

  get size(): TerminalSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows }
  }

  get selection(): string {
    return this.#terminal.getSelection()
  }

  write(bytes: Uint8Array, drawn: () => void): void {
    this.#terminal.write(bytes, drawn)
  }

  /** Draws replayed output. The terminal must not answer its queries or copy to the clipboard again. */
  replay(bytes: Uint8Array, drawn: () => void): void {
    this.#replays += 1
    this.#terminal.write(bytes, () => {
      this.#replays -= 1
      drawn()
    })
  }

  /** Resets modes that a program left on, then prints each text on new lines, wrapped between words. */
  announce(...lines: string[]): void {
    this.#terminal.write('', () => {
      if (this.#disposed) return
      const { type, cursorX } = this.#terminal.buffer.active
      const leave = type === 'alternate' ? LEAVE_ALTERNATE_SCREEN : ''
      const start = leave || cursorX > 0 ? '\r\n' : ''
      const whole = lines.flatMap((line) => wrapText(line, this.#terminal.cols))
      this.#terminal.write(
        RESET_SEQUENCE + leave + start + whole.map((line) => `${line}\r\n`).join('')
      )
    })
  }

  paste(text: string): void {
    this.#terminal.paste(text)
    this.focus()
  }

  focus(): void {
    this.#terminal.focus()
  }

  find(text: string, direction: 'next' | 'previous', typing = false): void {
    const { match, active } = searchHighlights[this.#scheme]
    const decorations = {
      matchBackground: match,
      matchOverviewRuler: match,
      activeMatchBackground: active,
      activeMatchColorOverviewRuler: active,
    }
    if (!text) return this.forget()
    if (direction === 'next') this.#search.findNext(text, { incremental: typing, decorations })
    else this.#search.findPrevious(text, { decorations })
  }

  forget(): void {
    this.#search.clearDecorations()
    this.#options.onMatches({ index: -1, count: 0 })
  }

  setColourScheme(scheme: 'light' | 'dark'): void {
    this.#scheme = scheme
    this.#terminal.options.theme = terminalThemes[scheme]
  }

  setFontSize(pixels: number): void {
    this.#terminal.options.fontSize = pixels
    this.#fitNow()
  }

  setScreenReader(on: boolean): void {
    this.#terminal.options.screenReaderMode = on
  }

  dispose(): void {
    this.#disposed = true
    clearTimeout(this.#resting)
    this.#watch.disconnect()
    this.#terminal.dispose()
  }

  #loadAddons(): void {
    this.#terminal.loadAddon(this.#fit)
    this.#terminal.loadAddon(this.#search)
    this.#terminal.loadAddon(new WebLinksAddon((_event, uri) => openLink(uri)))
    this.#terminal.loadAddon(new Unicode11Addon())
    this.#terminal.unicode.activeVersion = '11'
    // Programs may write to the clipboard, but not read it, because it may contain private data.
    this.#terminal.loadAddon(
      new ClipboardAddon(undefined, {
        readText: () => '',
        writeText: async (_selection, text) => {
          if (this.#replays === 0) await copyText(text).catch(() => {})
        },
      })
    )
  }

  async #speedUp(): Promise<void> {
    try {
      const { WebglAddon } = await import('@xterm/addon-webgl')
      if (this.#disposed) return
      const addon = new WebglAddon()
      addon.onContextLoss(() => addon.dispose())
      this.#terminal.loadAddon(addon)
    } catch {
      // WebGL is not available, so xterm's own renderer stays.
    }
  }

  /** Loads the font for Bengali explicitly, because drawing on a canvas does not load fonts. */
  async #loadBengali(fontSize: number): Promise<void> {
    const faces = await document.fonts?.load(`${fontSize}px ${TERMINAL_FONT}`, 'ক').catch(() => [])
    if (faces?.length && !this.#disposed) this.#terminal.clearTextureAtlas()
  }

  #fitSoon(): void {
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => this.#fitNow(), RESIZE_DEBOUNCE_MS)
  }

  /** Fits the terminal to its element's size. A terminal in a hidden tab keeps its last size. */
  #fitNow(): void {
    if (this.#disposed || !this.#host.clientWidth || !this.#host.clientHeight) return
    const proposed = this.#fit.proposeDimensions()
    if (!proposed || !Number.isFinite(proposed.cols) || !Number.isFinite(proposed.rows)) return
    this.#fit.fit()
    this.#options.onResize(this.size)
  }
}

function wrapText(text: string, cols: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const joined = lines.length ? `${lines.at(-1)} ${word}` : word
    if (lines.length && joined.length <= cols) lines[lines.length - 1] = joined
    else lines.push(word)
  }
  return lines
}

function openLink(uri: string): void {
  if (/^https?:\/\//i.test(uri)) window.open(uri, '_blank', 'noopener,noreferrer')
}
