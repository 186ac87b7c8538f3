/// <reference lib="dom" />

/**
 * Returns layout problems of the last visible element that matches `within`. Runs in the page, so
 * it cannot use anything outside the function.
 */
export function findLayoutProblems(within: string): string[] {
  const main =
    [...document.querySelectorAll(within)].filter((one) => one.checkVisibility()).at(-1) ??
    document.body
  const found = new Set<string>()
  const words = (element: Element) => {
    const text = (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 50)
    return `<${element.localName} ${element.className && `class="${String(element.className).split(' ')[0]}"`}> "${text}"`
  }
  const shown = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true })
  }
  const clipped = [...main.querySelectorAll('*')].filter(
    (one) => getComputedStyle(one).clipPath !== 'none'
  )
  /** Returns whether an element is hidden on purpose, for example text for screen readers only. */
  const hidden = (element: Element) =>
    element.closest('[aria-hidden="true"], svg') !== null ||
    clipped.some((one) => one.contains(element))
  const scrolls = (element: Element) =>
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
  const cuts = (element: Element) =>
    ['hidden', 'clip', 'auto', 'scroll'].includes(getComputedStyle(element).overflowX)
  const all = [...main.querySelectorAll('*')].filter((one) => shown(one) && !hidden(one))

  const joined = all.find((one) => {
    const { fontFamily, fontVariantLigatures: ligatures } = getComputedStyle(one)
    return /mono/i.test(fontFamily) && ligatures !== 'none'
  })
  if (joined) found.add(`ligatures in monospace text: ${words(joined)}`)

  const over = document.documentElement.scrollWidth - innerWidth
  if (over > 0) found.add(`the page scrolls sideways by ${over} px`)

  for (const element of all) {
    const text = element instanceof HTMLInputElement ? '' : (element.textContent ?? '').trim()
    const isCut =
      (text &&
        cuts(element) &&
        !scrolls(element) &&
        element.scrollWidth > element.clientWidth + 1) ||
      (element instanceof HTMLInputElement &&
        !element.value &&
        element.scrollWidth > element.clientWidth + 1)
    if (!isCut) continue
    const told = element.closest('[title]') ?? element.querySelector('[title]')
    if (!told) found.add(`cut without a title: ${words(element)}`)
  }

  for (const element of all) {
    const parent = element.parentElement!
    if (parent === main || cuts(parent) || getComputedStyle(parent).display === 'contents') continue
    if (['absolute', 'fixed'].includes(getComputedStyle(element).position)) continue
    const more = element.getBoundingClientRect().right - parent.getBoundingClientRect().right
    const margin = -Math.min(0, parseFloat(getComputedStyle(element).marginRight))
    if (more - margin > 1.5)
      found.add(`${Math.round(more)} px wider than its parent: ${words(element)}`)
  }

  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  const lines = () =>
    new Set([...range.getClientRects()].map(({ top, height }) => Math.round(top + height / 2)))
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement!
    // Skips text whose words may break anywhere, such as paths and keys.
    if (!shown(parent) || hidden(parent) || parent.closest('.mono, code, pre')) continue
    range.selectNodeContents(node)
    if (lines().size < 2) continue
    for (const { 0: word, index } of node.textContent!.matchAll(/[^\s\-‐–/]+/g)) {
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const length = [...range.getClientRects()].reduce((sum, { width }) => sum + width, 0)
      // A word that is longer than its line has to break.
      const room = parent.closest('p, h1, h2, h3, td, dd, li, div')?.clientWidth ?? innerWidth
      if (lines().size > 1 && length <= room)
        found.add(`broken in the middle: "${word}" of ${words(parent)}`)
    }
  }

  const wide = innerWidth >= 1280
  // Maximum height: a row of 40 px and its border. Below 1,280 px, a row may have two lines, each as high as a touch
  // target.
  const most = wide ? 44 : 84
  for (const row of main.querySelectorAll('tr[data-row]')) {
    const { height } = row.getBoundingClientRect()
    if (height > most) found.add(`a row of ${Math.round(height)} px: ${words(row)}`)
  }

  const controls = all.filter(
    (one) =>
      one.matches('button, input, select, a[href], h1, th') &&
      !one.closest('td, article, [hidden]') &&
      // Skips floating buttons, which stay in their corner on every page.
      getComputedStyle(one).position !== 'fixed'
  )
  const boxes = controls.map((control) => ({ control, box: control.getBoundingClientRect() }))
  for (const [index, { control, box }] of boxes.entries()) {
    for (const { control: other, box: its } of boxes.slice(index + 1)) {
      if (control.contains(other) || other.contains(control)) continue
      if (control.localName === 'input' && other.ariaLabel === 'Clear search') continue
      // The clear button of a search box and the visibility button of a password field lie inside the box.
      if (control.closest('.mantine-Input-wrapper')?.contains(other)) continue
      const across = Math.min(box.right, its.right) - Math.max(box.left, its.left)
      const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top)
      if (across > 1.5 && down > 1.5) found.add(`overlap: ${words(control)} and ${words(other)}`)
    }
  }
  return [...found]
}
