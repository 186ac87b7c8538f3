import { invalid } from '#core/app_error'

/** Every email loads the logo, so it must be small. */
export const MAX_LOGO_BYTES = 64 * 1024
const MAX_LOGO_SIDE_PX = 1_200
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * Decodes a PNG from base64. Reads its dimensions from the first PNG chunk (PNG, third edition, 11.2.1).
 * @throws 422 if the logo is too large or not a PNG
 */
export function parseLogo(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > MAX_LOGO_BYTES) throw invalid({ logo: 'Choose a logo of at most 64 KB.' })
  const isPng = bytes.length > 33 && bytes.subarray(0, 8).equals(PNG_SIGNATURE)
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') {
    throw invalid({ logo: 'Choose a PNG image.' })
  }
  if (bytes.readUInt32BE(16) > MAX_LOGO_SIDE_PX || bytes.readUInt32BE(20) > MAX_LOGO_SIDE_PX) {
    throw invalid({ logo: `Choose a logo of at most ${MAX_LOGO_SIDE_PX} pixels per side.` })
  }
  return bytes
}
