import type { InstalledWordpress } from '#projects/machine/wordpress'
import type { WordpressState } from '#projects/transformers/page_props'

const OPEN_INSTALLER_WARNING =
  'Nobody has completed the installation of WordPress yet. The first visitor who does becomes its administrator, so open the address and complete it now.'

/** @param problem reason why WordPress did not respond */
export function wordpressState(
  installed: InstalledWordpress | null,
  address: string | null,
  problem?: string
): WordpressState {
  const base = { admin_url: address && `${address}/wp-admin/`, plugins: 0, themes: 0 }
  if (!installed) {
    return {
      ...base,
      version: null,
      update: 'unknown',
      newest: null,
      problem: problem ?? OPEN_INSTALLER_WARNING,
    }
  }
  const { version, newest, plugins, themes, checked } = installed
  const update = newest ? 'available' : checked ? 'current' : 'unknown'
  return { ...base, version, update, newest, plugins, themes, problem: null }
}
