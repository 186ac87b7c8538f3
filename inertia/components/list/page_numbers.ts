/**
 * Returns the page numbers to show. `null` is an ellipsis. Up to 4 pages are all shown. Of more pages, only the first,
 * the last and those around the current one are shown. If only one page would be omitted, it is shown too.
 */
export function pageNumbers(current: number, pages: number): (number | null)[] {
  if (pages <= 4) return Array.from({ length: pages }, (_, index) => index + 1)
  const wanted = [1, current - 1, current, current + 1, pages].filter(
    (page) => page >= 1 && page <= pages
  )
  const shown = [...new Set(wanted)].sort((a, b) => a - b)
  return shown.flatMap((page, index) => {
    const gap = index ? page - shown[index - 1] : 1
    if (gap === 2) return [page - 1, page]
    return gap > 2 ? [null, page] : [page]
  })
}
