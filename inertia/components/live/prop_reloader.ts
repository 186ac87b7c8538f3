import { router } from '@inertiajs/react'
import { reloadProps } from '~/client_navigation'

/**
 * Reads props of the page anew when they are due: one reading at a time, with a rest between two.
 * A visit that somebody makes goes first.
 */
export class PropReloader {
  #only: string[] = []
  #due = false
  #running = false
  #visiting = false
  #restUntil = 0
  #timer: number | undefined
  #cancel: (() => void) | null = null

  /** @param rest milliseconds from the end of one reading to the next at least */
  constructor(readonly rest: number) {}

  /** @param after milliseconds that it is waited at least */
  schedule(only: string[], after = 0) {
    this.#only = only
    this.#due = true
    this.#restUntil = Math.max(this.#restUntil, Date.now() + after)
    this.#look()
  }

  /** Minds visits until it is told to stop. */
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
    // Before Inertia's own listener: an answer that came now would be written over the step gone to.
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
    // What it would bring is older than what the visit brings, and maybe of another address.
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
