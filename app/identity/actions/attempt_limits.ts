import type { Audience } from '#core/contracts/actor'
import { rateLimitNetwork } from '#packages/service/ip_network'
import { hashedEmailKey, findKnownBrowserId } from '#identity/actions/known_browsers'
import { lockedOut } from '#identity/errors'
import type { HttpContext } from '@adonisjs/core/http'
import { errors as limiterErrors } from '@adonisjs/limiter'
import limiter from '@adonisjs/limiter/services/main'

interface Limit {
  requests: number
  /** Length of the time window. Attempts within the window do not extend it. */
  seconds: number
}

interface Rule {
  /**
   * Limits for attempts with one email address. All unknown browsers share one count. Each known browser has a
   * separate count.
   */
  account: Limit[]
  /** Limit for attempts from one network, with any email address. Known browsers are exempt. */
  network: Limit
}

const minute = 60
const hour = 3_600

/** With 20 wrong codes a day, the chance to guess a code of six digits is 1 in 50,000 a day. */
export const attemptLimits = {
  password: {
    account: [{ requests: 10, seconds: 15 * minute }],
    network: { requests: 60, seconds: 15 * minute },
  },
  code: {
    account: [{ requests: 20, seconds: 24 * hour }],
    network: { requests: 40, seconds: hour },
  },
  mail: {
    account: [
      { requests: 1, seconds: minute },
      { requests: 6, seconds: hour },
    ],
    network: { requests: 40, seconds: hour },
  },
  check: {
    account: [{ requests: 20, seconds: 10 * minute }],
    network: { requests: 40, seconds: 10 * minute },
  },
} satisfies Record<string, Rule>

export type AttemptKind = keyof typeof attemptLimits

/**
 * Counts an attempt before it runs, so that parallel attempts count too. After a success, call the returned
 * function. It resets the `account` counts that this attempt increased, and subtracts 1 from the network's count.
 * @throws 429 if a limit is exceeded
 */
export async function consumeAttempt(
  ctx: HttpContext,
  way: AttemptKind,
  audience: Audience,
  email: string
): Promise<() => Promise<void>> {
  const { account, network } = attemptLimits[way]
  const browser = findKnownBrowserId(ctx, audience, email)
  const who = browser
    ? `${hashedEmailKey(audience, email)}:${browser}`
    : hashedEmailKey(audience, email)
  const limits = account.map((limit) => ({ limit, key: `${way}:${limit.seconds}:${who}` }))
  if (!browser)
    limits.unshift({ limit: network, key: `${way}:net:${rateLimitNetwork(ctx.request.ip())}` })
  for (const { limit, key } of limits) {
    const { requests, seconds } = limit
    try {
      await limiter.use({ requests, duration: seconds }).consume(key)
    } catch (error) {
      if (!(error instanceof limiterErrors.E_TOO_MANY_REQUESTS)) throw error
      throw lockedOut(Math.max(1, error.response.availableIn), !browser && seconds > minute)
    }
  }
  return async () => {
    for (const { limit, key } of limits) {
      const { requests, seconds } = limit
      const limit_ = limiter.use({ requests, duration: seconds })
      if (key.includes(':net:')) await limit_.decrement(key)
      else await limit_.delete(key)
    }
  }
}
