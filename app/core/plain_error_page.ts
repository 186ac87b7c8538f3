import string from '@adonisjs/core/helpers/string'

interface PlainPage {
  status: number
  title: string
  /** Says what happened, what was saved and what the person can do next. */
  message: string
  /** Seconds until the page reloads. */
  again?: number
  /** Nonce of the content security policy. Without it, the browser does not run the page's script. */
  nonce?: string
}

/** Returns an HTML page that loads only the icon. It is used if the database is unreachable or rendering fails. */
export function plainErrorPage({ status, title, message, again, nonce }: PlainPage): string {
  const escaped = string.escapeHTML(message)
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${title} · Berth</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    <style>
      :root { color-scheme: light dark }
      body {
        margin: 0;
        background: light-dark(#f7f9fa, #0f1b27);
        color: light-dark(#122333, #e3ebf1);
        font: 15px/1.5 'Inter Variable', system-ui, sans-serif;
      }
      header { padding: 15px 16px }
      main { max-width: 600px; margin: 0 auto; padding: clamp(32px, 10vh, 110px) 20px }
      .status { margin: 0; color: light-dark(#0a6664, #4aa8a3); font: 600 15px ui-monospace, monospace }
      h1 { margin: 6px 0 10px; font-size: 28px; line-height: 1.2; letter-spacing: -0.02em }
      p { margin: 0 0 8px }
      a { color: light-dark(#0a6664, #4aa8a3) }
    </style>
  </head>
  <body>
    <header><img src="/favicon.svg" width="22" height="22" alt="Berth" /></header>
    <main>
      <p class="status">${status}</p>
      <h1>${title}</h1>
      <p>${escaped}</p>
      <p>${again ? `This page tries again every ${again} seconds. ` : ''}<a href="">Try now</a></p>
    </main>
    ${again ? `<script nonce="${nonce ?? ''}">setTimeout(() => location.reload(), ${again * 1_000})</script>` : ''}
  </body>
</html>
`
}
