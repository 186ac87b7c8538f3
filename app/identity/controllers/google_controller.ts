import { signIn } from '#identity/actions/devices'
import { google, googleIsConfigured } from '#identity/actions/google'
import { provenCustomer } from '#identity/actions/proven_customer'
import { auditVisit, pathAfterSignIn } from '#identity/controllers/visitor'
import Person from '#identity/models/person'
import type { HttpContext } from '@adonisjs/core/http'

/** Continue With Google: customers only. */
export default class GoogleController {
  async redirect(ctx: HttpContext) {
    if (!googleIsConfigured()) return back(ctx, 'Google sign-in is not set up on this server.')
    try {
      const driver = await google(ctx)
      return await driver.redirect()
    } catch (error) {
      ctx.logger.warn({ err: error }, 'google')
      return back(ctx, 'Google does not answer. Sign in with your email, or try again later.')
    }
  }

  async callback(ctx: HttpContext) {
    if (!googleIsConfigured()) return back(ctx, 'Google sign-in is not set up on this server.')
    const driver = await google(ctx)
    if (driver.accessDenied()) return back(ctx, 'You did not allow it at Google.')
    if (driver.stateMisMatch()) return back(ctx, 'That took too long. Try again.')
    if (driver.hasError()) return back(ctx, 'Google could not sign you in. Try again.')
    let profile
    try {
      profile = await driver.user()
    } catch (error) {
      ctx.logger.warn({ err: error }, 'google')
      return back(ctx, 'Google could not sign you in. Try again.')
    }
    const { id, email, emailVerificationState, name } = profile
    if (!id || !email || emailVerificationState !== 'verified' || /[\s<>"]/.test(email)) {
      return back(ctx, 'Google has not verified the email of this account.')
    }
    const ip = ctx.request.ip()
    let person = await Person.query().where({ audience: 'customer', googleSubject: id }).first()
    if (!person) {
      person = await provenCustomer(email, {
        name: name?.replace(/\p{Cc}/gu, ''),
        ip,
        way: 'google',
      })
      if (person.googleSubject) {
        return back(ctx, 'This email belongs to another Google account here.')
      }
      if (!person.disabledAt) await person.merge({ googleSubject: id }).save()
    }
    if (person.disabledAt) {
      return back(ctx, 'This account is disabled. Write to support to open it again.')
    }
    await signIn(ctx, person)
    await auditVisit(ctx, 'person.sign_in', person)
    return ctx.response.redirect().toPath(pathAfterSignIn(ctx, 'customer'))
  }
}

function back({ session, response }: HttpContext, message: string) {
  session.flash('notice', { success: false, message })
  return response.redirect().toPath('/login')
}
