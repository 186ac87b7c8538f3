/** Folder of all sites on an instance, as in the base image. Tests replace it. */
export const webRoot = { path: '/var/www/public_html' }

export function absoluteWebPath(path: string, within = ''): string {
  return [webRoot.path, path, within].filter(Boolean).join('/')
}
