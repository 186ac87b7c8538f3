/** Where sites lie on every instance, as the base image has it. Tests put a folder of their own there. */
export const webRoot = { path: '/var/www/public_html' }

/** The absolute folder of a clean path below the web root, or of a folder within that. */
export function absoluteWebPath(path: string, within = ''): string {
  return [webRoot.path, path, within].filter(Boolean).join('/')
}
