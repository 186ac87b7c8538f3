import type { ApplicationService } from '@adonisjs/core/types'

/** Makes core's schedules known, and ends what core keeps open when the process stops. */
export default class CoreProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    await import('#core/register')
  }

  async shutdown() {
    const { endStreams } = await import('#core/live/event_stream')
    const { closeLive } = await import('#core/live/live')
    const { closeQueue } = await import('#core/queue')
    endStreams()
    await Promise.all([closeLive(), closeQueue()])
  }
}
