import { respond } from '#core/action_response'
import { audit } from '#core/audit/audit'
import {
  allMailKinds,
  findMailKind,
  type MailKind,
  unknownPlaceholders,
} from '#core/mail/mail_kinds'
import { buildMailContent, renderTextAndHtml } from '#core/mail/render_mail'
import { sendMail } from '#core/mail/send_mail'
import { parseLogo } from '#core/mail/logo'
import {
  loadAllMailTexts,
  loadMailBrand,
  loadMailLogo,
  loadMailSettings,
  saveMailSettings,
  saveMailTexts,
  loadMailTexts,
} from '#core/mail/mail_settings'
import { renderPage } from '#core/render_page'
import { invalid, notFound } from '#core/app_error'
import {
  mailKindValidator,
  mailSettingsValidator,
  mailPreviewValidator,
  mailTextValidator,
} from '#core/validators/mail_settings'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'

export default class MailSettingsController {
  async show(ctx: HttpContext) {
    const [settings, texts] = await Promise.all([loadMailSettings(), loadAllMailTexts()])
    return renderPage(ctx, 'admin/settings/mail', {
      settings,
      kinds: allMailKinds().map(({ name, label, subject, intro, placeholders }) => ({
        name,
        label,
        placeholders: ['brand', ...Object.keys(placeholders)],
        default_subject: subject,
        default_intro: intro,
        subject: texts.get(name)?.subject ?? null,
        intro: texts.get(name)?.intro ?? null,
      })),
    })
  }

  /**
   * Saves `{ brand, footer, reply_to, logo? }`. `logo` is a PNG in base64. `null` removes the logo. Without `logo`,
   * the present logo stays.
   */
  async update(ctx: HttpContext) {
    const { logo, ...sent } = await mailSettingsValidator.validate(ctx.request.body())
    const settings = { ...sent, footer: sent.footer ?? '', reply_to: sent.reply_to || null }
    await db.transaction(async (trx) => {
      await saveMailSettings(settings, typeof logo === 'string' ? parseLogo(logo) : logo, trx)
      await note(ctx, 'mails.update', 'settings', { ...settings }, trx)
    })
    respond(ctx, { message: 'Saved. New emails use this design.' })
  }

  /** Saves `{ kind, subject, intro }`, the texts of one kind of email. Empty values restore the defaults. */
  async words(ctx: HttpContext) {
    const sent = await mailTextValidator.validate(ctx.request.body())
    const kind = findMailKindOrFail(sent.kind)
    const texts = { subject: sent.subject || null, intro: sent.intro || null }
    for (const field of ['subject', 'intro'] as const) {
      const unknown = unknownPlaceholders(kind, texts[field] ?? '')
      if (unknown.length)
        throw invalid({ [field]: `{${unknown[0]}} is not available in this email.` })
    }
    await db.transaction(async (trx) => {
      await saveMailTexts(kind.name, texts, trx)
      await note(ctx, 'mails.words', kind.label, { ...texts }, trx)
    })
    respond(ctx, { message: 'Saved. New emails use this text.' })
  }

  async preview(ctx: HttpContext) {
    const { kind, scheme } = await mailPreviewValidator.validate(ctx.request.qs())
    ctx.response.json({
      success: true,
      message: '',
      data: await exampleOf(findMailKindOrFail(kind), scheme),
    })
  }

  /** Sends an example email of `{ kind }` to the signed-in person. */
  async test(ctx: HttpContext) {
    const { kind } = await mailKindValidator.validate(ctx.request.body())
    const { email } = ctx.actor
    await sendMail({ to: email, ...(await exampleOf(findMailKindOrFail(kind))) })
    respond(ctx, { message: `Test email sent to ${email}.` })
  }

  /** Serves the logo without a sign-in, because the mail programs of recipients load it. */
  async logo({ response }: HttpContext) {
    const logo = await loadMailLogo()
    if (!logo) throw notFound('logo')
    response.header('content-type', 'image/png')
    response.header('cache-control', 'public, max-age=86400')
    response.send(logo)
  }
}

function findMailKindOrFail(name: string): MailKind {
  const kind = findMailKind(name)
  if (!kind) throw notFound('email')
  return kind
}

async function exampleOf(kind: MailKind, scheme?: 'light' | 'dark') {
  const [{ brand }, texts] = await Promise.all([loadMailBrand(), loadMailTexts(kind.name)])
  const mail = { kind, values: kind.placeholders, ...kind.sample }
  return renderTextAndHtml(buildMailContent(mail, texts, brand), brand, scheme)
}

function note(
  { actor, request }: HttpContext,
  action: string,
  label: string,
  after: Record<string, unknown>,
  trx: Parameters<typeof audit>[1]
): Promise<void> {
  const subject = { type: 'mails' as const, id: 1, label }
  return audit({ actor, action, subject, after, ip: request.ip() }, trx)
}
