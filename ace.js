/** Entry point of ace commands from the sources; the build replaces it by plain JavaScript. */
import '@poppinss/ts-exec'

await import('./bin/console.js')
