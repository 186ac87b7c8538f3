import app from '@adonisjs/core/services/app'

/**
 * Serves pages as built (`./berth test` builds them first), under the security policy that people
 * get. Without this the test process serves them by Vite's development server.
 */
export async function serveBuiltPages(): Promise<void> {
  const vite = await app.container.make('vite')
  await vite.stopDevServer()
}
