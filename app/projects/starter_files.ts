import type { Stack } from '#projects/stacks'

/** The first port that a new app tries. */
export const FIRST_APP_PORT = 3000

const NEXT_PACKAGES = { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' }

/**
 * Returns files by path. They make a new site respond, and are small enough to be thrown away.
 * Names are escaped for JSON or HTML, so they always appear as text.
 */
export function starterFiles(stack: Stack, name: string): Record<string, string> {
  return starters[stack](name)
}

const starters: Record<Stack, (name: string) => Record<string, string>> = {
  static: (name) => ({
    'index.html': page(name, 'This is your new site. Replace this page with your own files.'),
  }),
  php: (name) => ({
    'index.php': page(
      name,
      "It is <?= date('H:i:s') ?>. This page is made by PHP <?= PHP_VERSION ?>."
    ),
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
    'public/index.html': page(name, 'This page is served by a Node process.'),
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

/** Visitors reach an app through its process. Its source files must not be served as pages. */
const sourcesStayIn = 'Require all denied\n'

function page(name: string, text: string): string {
  const title = name.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh; margin: 0 1rem }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text}</p>
    </main>
  </body>
</html>
`
}

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
