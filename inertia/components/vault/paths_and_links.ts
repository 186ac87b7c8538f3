export function encodePath(path: string) {
  return path.split('/').map(encodeURIComponent).join('/')
}

function queryString(query: Record<string, string | undefined>) {
  const parts = Object.entries(query).flatMap(([key, value]) =>
    value ? [`${key}=${encodeURIComponent(value).replaceAll('%2F', '/')}`] : []
  )
  return parts.length ? `?${parts.join('&')}` : ''
}

export function vaultHref(id: number, path = '') {
  return `/vault/${id}${queryString({ path })}` as `/vault/${number}`
}

/** With `download`, the browser saves the file instead of showing it. */
export function fileHref(id: number, name: string, download = false) {
  return `/vault/${id}/open${queryString({ name, download: download ? '1' : '' })}`
}

/** Returns the public URL of an object, or the base URL of the vault's objects if `name` is missing. */
export function cdnUrl(cdnHost: string, key: string, name?: string) {
  return name ? `${cdnHost}/${key}/${encodePath(name)}` : `${cdnHost}/${key}`
}

export function baseName(path: string) {
  return path.slice(path.lastIndexOf('/') + 1)
}
