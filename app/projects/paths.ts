/** Web root on an instance (decisions, "Machines"). */
export const WEB_ROOT = '/var/www/public_html'

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/

/**
 * A folder below the web root, relative to it and without outer slashes; null for what is none:
 * empty, absolute elsewhere, leading out, or with characters that web servers read as more than a
 * name. `/shop/`, `public_html/shop` and `/var/www/public_html/shop` all are `shop`.
 */
export function relativePath(text: string): string | null {
  const inside = text.trim().replace(/^(\/var\/www\/public_html|\/?public_html)(?=\/|$)/, '')
  const parts = inside.split('/').filter((part) => part !== '')
  const fits = parts.length > 0 && parts.length <= 8 && inside.length <= 200
  return fits && parts.every((part) => SEGMENT.test(part)) ? parts.join('/') : null
}

/** The absolute folder of a project, or of a folder within it. */
export function folderOf(path: string, within = ''): string {
  return [WEB_ROOT, path, within].filter(Boolean).join('/')
}
