/** An email without its subject and first paragraph (`intro`). */
export interface MailBody {
  title: string
  paragraphs?: string[]
  code?: string
  button?: { label: string; href: string }
  details?: [label: string, value: string][]
  /** Small text after the button, above the footer of the brand. */
  footnote?: string
}

export interface MailContent extends MailBody {
  subject: string
  intro: string
}

export interface MailBrand {
  name: string
  footer: string
  /** URL of a PNG. Mail programs show the brand name instead if they block or miss the logo. */
  logo: string | null
}

export function renderText(content: MailContent, { footer }: Pick<MailBrand, 'footer'>): string {
  const { title, intro, code, paragraphs = [], button, details = [], footnote } = content
  const parts = [
    ...(code ? [code] : [title]),
    intro,
    details.map(([label, value]) => `${label}: ${value}`).join('\n'),
    ...paragraphs,
    button && `${button.label}:\n${button.href}`,
    footnote,
    footer && `-- \n${footer}`,
  ]
  return parts.filter(Boolean).join('\n\n')
}

/** CSS for dark mode. The light colors are inline styles, because some mail programs remove style sheets. */
const dark = `
.page { background: #14181b !important; }
.card { background: #1d2327 !important; border-color: #343c42 !important; }
.text { color: #e8eceb !important; }
.dim { color: #a5b0af !important; }
.code { background: #14181b !important; color: #e8eceb !important; }
.button { background: #5cc4bb !important; color: #0c1a19 !important; }
.link { color: #5cc4bb !important; }
.line { border-color: #343c42 !important; }`

const BODY_FONT = `-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif`
const MONOSPACE_FONT = `ui-monospace, SFMono-Regular, Menlo, Consolas, monospace`

/**
 * Renders HTML for mail programs: one column, inline styles, no scripts.
 * @param scheme fixed color scheme, for previews
 */
export function renderHtml(
  content: MailContent,
  brand: MailBrand,
  scheme?: 'light' | 'dark'
): string {
  const { subject, title, intro, code, paragraphs = [], button, details = [], footnote } = content
  const media = { light: 'not all', dark: 'all', none: '(prefers-color-scheme: dark)' }
  const schemes = scheme ?? 'light dark'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="${schemes}">
<meta name="supported-color-schemes" content="${schemes}">
<title>${escaped(subject)}</title>
<style>:root { color-scheme: ${schemes}; }
@media ${media[scheme ?? 'none']} {${dark}
}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f2f4f3;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:28px 14px;">
<div style="max-width:560px;text-align:left;font-family:${BODY_FONT};">
<div style="padding:0 4px 16px;">${logoOf(brand)}</div>
<div class="card" style="padding:28px 28px 30px;border:1px solid #dfe4e2;border-radius:12px;background:#ffffff;">
<h1 class="text" style="margin:0 0 14px;color:#17211f;font-size:20px;line-height:1.35;font-weight:650;">${escaped(title)}</h1>
${paragraphOf(intro)}
${code ? codeOf(code) : ''}${details.length ? detailsTable(details) : ''}${paragraphs.map(paragraphOf).join('\n')}
${button ? buttonOf(button) : ''}${footnote ? footnoteOf(footnote) : ''}
</div>
<p class="dim" style="margin:16px 4px 0;color:#5d6a67;font-size:12px;line-height:1.5;">${lines(brand.footer)}</p>
</div>
</td></tr></table>
</body>
</html>
`
}

function logoOf({ name, logo }: MailBrand): string {
  const style = 'color:#17211f;font-size:18px;font-weight:700;letter-spacing:-0.02em;'
  if (!logo) return `<span class="text" style="${style}">${escaped(name)}</span>`
  return `<img class="text" src="${escaped(logo)}" alt="${escaped(name)}" height="32" style="display:block;height:32px;border:0;${style}">`
}

function paragraphOf(text: string): string {
  return `<p class="text" style="margin:0 0 14px;color:#17211f;font-size:15px;line-height:1.6;overflow-wrap:anywhere;">${lines(text)}</p>`
}

function codeOf(code: string): string {
  return `<p class="code" style="margin:6px 0 18px;padding:14px 8px;border-radius:8px;background:#eef2f1;color:#17211f;font-family:${MONOSPACE_FONT};font-size:30px;font-weight:650;letter-spacing:0.22em;text-align:center;">${escaped(code)}</p>
`
}

function detailsTable(details: [string, string][]): string {
  const rows = details.map(
    ([label, value]) =>
      `<tr><td class="dim line" style="padding:7px 16px 7px 0;border-top:1px solid #e6eae9;color:#5d6a67;font-size:13px;vertical-align:top;white-space:nowrap;">${escaped(label)}</td><td class="text line" style="padding:7px 0;border-top:1px solid #e6eae9;color:#17211f;font-size:14px;overflow-wrap:anywhere;">${lines(value)}</td></tr>`
  )
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:2px 0 18px;">${rows.join('')}</table>
`
}

function buttonOf({ label, href }: { label: string; href: string }): string {
  const link = escaped(href)
  return `<p style="margin:8px 0 18px;"><a class="button" href="${link}" style="display:inline-block;padding:11px 20px;border-radius:8px;background:#0a6664;color:#ffffff;font-size:15px;font-weight:600;text-decoration:none;">${escaped(label)}</a></p>
<p class="dim" style="margin:0 0 14px;color:#5d6a67;font-size:12px;line-height:1.5;overflow-wrap:anywhere;">Or open <a class="link" href="${link}" style="color:#0a6664;">${link}</a></p>
`
}

function footnoteOf(text: string): string {
  return `<p class="dim line" style="margin:18px 0 0;padding-top:14px;border-top:1px solid #e6eae9;color:#5d6a67;font-size:13px;line-height:1.55;overflow-wrap:anywhere;">${lines(text)}</p>`
}

const signs: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => signs[sign])
}

function lines(text: string): string {
  return escaped(text).replace(/\r?\n/g, '<br>')
}
