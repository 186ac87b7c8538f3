import { nameExists } from '#files/errors'
import { rechunk } from '#files/machine/rechunk'
import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'

/** The name of the last thing sent: without it the machine knows that it has been cut off. */
export const END_MARKER_NAME = '.berth-last'

/**
 * Small files on their way into one folder of a machine, as one stream. All of them take their place at
 * its end, or none.
 */
export class BatchUpload {
  readonly #pack: Pack = pack()
  readonly #names = new Set<string>()
  readonly #taken: Promise<void>
  readonly #stop: () => Promise<void>

  /**
   * @param to what reads them on the machine
   * @param taken once they have their place; fails with what the machine says
   * @param stop sees that nothing of them is left
   */
  constructor(to: NodeJS.WritableStream, taken: Promise<void>, stop: () => Promise<void>) {
    this.#taken = taken
    this.#stop = stop
    taken.catch(() => {})
    // Where the machine refuses, it reads no further: its own words say why.
    pipeline(rechunk(this.#pack as AsyncIterable<Buffer>), to).catch(() => this.#pack.destroy())
  }

  /** Sends one; 409 where another has its name. */
  async add(name: string, content: Buffer): Promise<void> {
    if (this.#names.has(name)) throw nameExists(name)
    this.#names.add(name)
    await this.#send(name, content)
  }

  /** Gives all of them their place; 409 where a name is taken, and then none has one. */
  async end(): Promise<void> {
    await this.#send(END_MARKER_NAME, Buffer.alloc(0))
    this.#pack.finalize()
    await this.#taken
  }

  /** Throws away what was sent. */
  async drop(): Promise<void> {
    this.#pack.destroy()
    await this.#stop()
  }

  /** The place before the name: one that begins with a hyphen is a name as well. */
  async #send(name: string, content: Buffer): Promise<void> {
    const sent = new Promise<void>((resolve, reject) => {
      this.#pack.entry({ name: `./${name}` }, content, (error) =>
        error ? reject(error) : resolve()
      )
    })
    // The machine's words are better than those of a stream that broke because of them.
    await Promise.race([sent.catch(() => this.#taken), this.#taken])
  }
}
