import { router } from '@inertiajs/react'
import { reloadProps } from '~/client_navigation'

/** Runs one reload at a time, with a pause after each. While the person visits a page, no reload runs. */
export class PropReloader {
  #only: string[] = []
  #due = false
  #running = false
  #visiting = false
  #restUntil = 0
  #timer: number | undefined
  #cancel: (() => void) | null = null

  /** @param rest minimum milliseconds between two reloads */
  constructor(readonly rest: number) {}

  /** @param after minimum milliseconds before the reload */
  schedule(only: string[], after = 0) {
    this.#only = only
    this.#due = true
    this.#restUntil = Math.max(this.#restUntil, Date.now() + after)
    this.#look()
  }

  start(): () => void {
    const stops = [
      router.on('start', ({ detail: { visit } }) => {
        if (!visit.async && !visit.prefetch) this.#pause()
      }),
      router.on('finish', ({ detail: { visit } }) => {
        if (visit.async || visit.prefetch) return
        this.#visiting = false
        this.#look()
      }),
    ]
    // Cancels a reload on Back or Forward, before Inertia's own listener runs. Otherwise a late response would
    // overwrite the history entry to which the person went.
    const forget = () => {
      window.clearTimeout(this.#timer)
      this.#due = false
      this.#cancel?.()
    }
    addEventListener('popstate', forget, { capture: true })
    return () => {
      removeEventListener('popstate', forget, { capture: true })
      for (const stop of stops) stop()
      forget()
    }
  }

  #pause() {
    this.#visiting = true
    // Repeats a cancelled reload after the visit. Its result would be older than the visit's, and possibly for another
    // URL.
    if (this.#running) this.#due = true
    this.#cancel?.()
  }

  #look() {
    if (!this.#due || this.#running || this.#visiting) return
    window.clearTimeout(this.#timer)
    const wait = this.#restUntil - Date.now()
    if (wait > 0) {
      this.#timer = window.setTimeout(() => this.#look(), wait)
      return
    }
    this.#due = false
    this.#running = true
    this.#cancel = reloadProps({
      only: this.#only,
      preserveErrors: true,
      again: () => this.schedule(this.#only),
      onFinish: () => {
        this.#cancel = null
        this.#running = false
        this.#restUntil = Date.now() + this.rest
        this.#look()
      },
    })
  }
}
