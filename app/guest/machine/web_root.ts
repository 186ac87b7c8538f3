/** Folder of all sites on an instance, as in the base image. Tests replace it. */
export const webRoot = { path: '/var/www/public_html' }

/** Returns the absolute path of a path below the web root, optionally of a folder within it. */
export function absoluteWebPath(path: string, within = ''): string {
  return [webRoot.path, path, within].filter(Boolean).join('/')
}
