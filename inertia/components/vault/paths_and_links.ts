/** A path as a part of an address: each of its parts encoded, its slashes kept. */
export function encodePath(path: string) {
  return path.split('/').map(encodeURIComponent).join('/')
}

function queryString(query: Record<string, string | undefined>) {
  const parts = Object.entries(query).flatMap(([key, value]) =>
    value ? [`${key}=${encodeURIComponent(value).replaceAll('%2F', '/')}`] : []
  )
  return parts.length ? `?${parts.join('&')}` : ''
}

/** The page of a vault, at a folder of it. */
export function vaultHref(id: number, path = '') {
  return `/vault/${id}${queryString({ path })}` as `/vault/${number}`
}

/** What leads to a file itself; `download` saves it. */
export function fileHref(id: number, name: string, download = false) {
  return `/vault/${id}/open${queryString({ name, download: download ? '1' : '' })}`
}

/** The public address of an object, or without a name that of the vault. */
export function cdnUrl(cdnHost: string, key: string, name?: string) {
  return name ? `${cdnHost}/${key}/${encodePath(name)}` : `${cdnHost}/${key}`
}

/** The last part of a path. */
export function baseName(path: string) {
  return path.slice(path.lastIndexOf('/') + 1)
}
