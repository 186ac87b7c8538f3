import { renderStarterPage, STARTER_TEXTS } from '#guest/public_effects'
import type { ProjectStack } from '#projects/stacks'

export const FIRST_APP_PORT = 3000

const NEXT_PACKAGES = { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' }

/**
 * Returns contents by path. The files make a new site respond, and the customer can delete them. Project names in them
 * are escaped for JSON or HTML.
 */
export function starterFiles(stack: ProjectStack, name: string): Record<string, string> {
  return starters[stack](name)
}

const starters: Record<ProjectStack, (name: string) => Record<string, string>> = {
  static: (name) => ({
    'index.html': renderStarterPage(name, STARTER_TEXTS.html[0]),
  }),
  php: (name) => ({
    'index.php': renderStarterPage(name, STARTER_TEXTS.php[0]),
  }),
  node: (name) => ({
    'package.json': json({
      name: packageName(name),
      private: true,
      scripts: { start: 'node server.js' },
    }),
    'server.js': `const { createServer } = require('node:http')
const { readFile } = require('node:fs/promises')

createServer(async (request, response) => {
  console.log(request.method, request.url)
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(await readFile(__dirname + '/public/index.html'))
}).listen(process.env.PORT || ${FIRST_APP_PORT})
`,
    'public/index.html': renderStarterPage(name, 'This page is served by a Node process.'),
    '.htaccess': sourcesStayIn,
  }),
  next: (name) => ({
    'package.json': json({
      name: packageName(name),
      private: true,
      scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
      dependencies: NEXT_PACKAGES,
    }),
    'app/layout.js': `export const metadata = { title: ${JSON.stringify(name)} }

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`,
    'app/page.js': `export default function Page() {
  return (
    <main>
      <h1>{${JSON.stringify(name)}}</h1>
      <p>Next.js answers. Change app/page.js and build again.</p>
    </main>
  )
}
`,
    '.htaccess': sourcesStayIn,
  }),
  wordpress: () => ({}),
}

/** An `.htaccess` file for apps. Visitors use the app's process, so the web server must not serve its source files. */
const sourcesStayIn = 'Require all denied\n'

function packageName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'app'
  )
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
