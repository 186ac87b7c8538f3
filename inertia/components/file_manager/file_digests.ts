const TAB_KEY = 'berth.upload-tab'

/** Returns the SHA-256 digest as 64 hex digits. */
export async function sha256(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(await crypto.subtle.digest('SHA-256', bytes))
}

/** Returns a random ID of this browser tab. The ID survives a reload, so that the tab can resume its uploads. */
export function tabId(): string {
  const known = sessionStorage.getItem(TAB_KEY)
  if (known) return known
  const id = hexOf(crypto.getRandomValues(new Uint8Array(16)).buffer)
  sessionStorage.setItem(TAB_KEY, id)
  return id
}

function hexOf(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
