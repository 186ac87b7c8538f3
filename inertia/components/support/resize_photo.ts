/** Maximum size that the specification requires (docs/product.md, "Live support"). */
const MAX_WIDTH_PX = 800
const MAX_HEIGHT_PX = 1000

/** Returns the size, scaled down to fit 800 x 1000. Never enlarges. */
export function fitSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MAX_WIDTH_PX / width, MAX_HEIGHT_PX / height)
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  }
}

/**
 * Converts a photo to a JPG at full quality, within 800 x 1000.
 * @throws Error `File Not Found!` without a file, `File Is NOT Image!` if its type is not an image type, or if the
 * browser cannot convert it
 */
export async function resizePhoto(file: File | null | undefined): Promise<File> {
  if (!file) throw new Error('File Not Found!')
  if (!file.type.startsWith('image/')) throw new Error('File Is NOT Image!')
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error('File Is NOT Image!')
  })
  const { width, height } = fitSize(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')!
  // JPG has no transparency, so transparent parts would turn black.
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
  context.drawImage(picture, 0, 0, width, height)
  picture.close()
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 1))
  if (!blob) throw new Error('File Is NOT Image!')
  return new File([blob], `${file.name.replace(/\.[^.]*$/u, '')}.jpg`, { type: 'image/jpeg' })
}
