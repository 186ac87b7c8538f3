import type { ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import type { Page } from '@inertiajs/core'
import { createInertiaApp } from '@inertiajs/react'
import { chooseLayout, loadLayout } from '~/layouts/choose_layout'
import { Root } from '~/root'
import { windowTitle } from '~/window_title'
import type { SharedProps } from '~/types'

/** Pages are loaded on demand, so that the server starts without loading all of them. */
const pages = import.meta.glob<{ default: ComponentType }>([
  './pages/**/*.tsx',
  '!./pages/**/*.test.tsx',
])

export default async function render(page: Page<SharedProps>) {
  try {
    await loadLayout(page.component, page)
    return await renderWith(page, loadPage)
  } catch (error) {
    // The browser then renders the page. If the error also occurs there, the page's error boundary shows it.
    // oxlint-disable-next-line no-console -- there is no other log here
    console.error(error)
    const { head, body } = await renderWith(page, async () => BlankPage)
    return { head, body: body.replace(' data-server-rendered="true"', '') }
  }
}

async function loadPage(name: string): Promise<ComponentType> {
  const load = pages[`./pages/${name}.tsx`]
  if (!load) throw new Error(`No page named "${name}"`)
  return (await load()).default
}

function BlankPage() {
  return null
}

function renderWith(page: Page<SharedProps>, resolve: (name: string) => Promise<ComponentType>) {
  return createInertiaApp<SharedProps>({
    page,
    render: renderToString,
    title: windowTitle,
    layout: chooseLayout,
    resolve,
    setup: ({ App, props }) => (
      <Root colorScheme={page.props.colorScheme}>
        <App {...props} />
      </Root>
    ),
  })
}
