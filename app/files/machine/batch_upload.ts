import { nameExists } from '#files/errors'
import { rechunk } from '#files/machine/rechunk'
import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'

/**
 * Name of the last entry of the tar. If it is missing, the instance knows that the upload was
 * interrupted.
 */
export const END_MARKER_NAME = '.berth-last'

/**
 * Sends small files to one folder of an instance, in one tar stream. The instance stores all of
 * them at the end, or none.
 */
export class BatchUpload {
  readonly #pack: Pack = pack()
  readonly #names = new Set<string>()
  readonly #taken: Promise<void>
  readonly #stop: () => Promise<void>

  /**
   * @param to standard input of the process that reads the tar
   * @param taken resolves when all files are in place, or rejects with the instance's error
   * @param stop ends that process, which then removes its temporary files
   */
  constructor(to: NodeJS.WritableStream, taken: Promise<void>, stop: () => Promise<void>) {
    this.#taken = taken
    this.#stop = stop
    taken.catch(() => {})
    // If the instance rejects the upload, it stops reading. `taken` then rejects with the reason.
    pipeline(rechunk(this.#pack as AsyncIterable<Buffer>), to).catch(() => this.#pack.destroy())
  }

  /** @throws 409 if this upload already has a file of that name */
  async add(name: string, content: Buffer): Promise<void> {
    if (this.#names.has(name)) throw nameExists(name)
    this.#names.add(name)
    await this.#send(name, content)
  }

  /**
   * Moves all files into the folder.
   * @throws 409 if a name is taken; then no file is stored, unless another program took the name
   *   during the move
   */
  async end(): Promise<void> {
    await this.#send(END_MARKER_NAME, Buffer.alloc(0))
    this.#pack.finalize()
    await this.#taken
  }

  /** The instance removes the files that it has received. */
  async drop(): Promise<void> {
    this.#pack.destroy()
    await this.#stop()
  }

  /** With `./` before the name, tar cannot mistake a leading hyphen for an option. */
  async #send(name: string, content: Buffer): Promise<void> {
    const sent = new Promise<void>((resolve, reject) => {
      this.#pack.entry({ name: `./${name}` }, content, (error) =>
        error ? reject(error) : resolve()
      )
    })
    // Prefers the instance's error, which says more than the stream error that it causes.
    await Promise.race([sent.catch(() => this.#taken), this.#taken])
  }
}
