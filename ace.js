/** Runs ace commands from the sources. The build replaces this file by plain JavaScript. */
import '@poppinss/ts-exec'

await import('./bin/console.js')
