import { assert } from '@japa/assert'
import { apiClient } from '@japa/api-client'
import app from '@adonisjs/core/services/app'
import server from '@adonisjs/core/services/server'
import { Test } from '@japa/runner/core'
import type { Config } from '@japa/runner/types'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
import testUtils from '@adonisjs/core/services/test_utils'
import * as japaReporters from '@japa/runner/reporters'
import env from '#start/env'
import { groupReporter, fileReporter } from '../cli/test_reporter.js'
import { stopVaultService } from '#packages/vault-service/tests/test_service'
import { closeBrowser, describeOpenPages } from './support/browser.js'
import { startDnsServer } from './support/dns_server.js'
import { keepReportingHosts } from './support/report_hosts.js'
import { inspect } from 'node:util'

export const plugins: Config['plugins'] = [
  assert(),
  apiClient({ baseURL: `http://127.0.0.1:${process.env.PORT}` }),
  pluginAdonisJS(app),
  /**
   * Adds the state of the open pages to the error of a failed test. Prints the error of each attempt that will be
   * retried, because the summary shows only the error of the last attempt.
   */
  () =>
    Test.executing(({ options, title }) => {
      const { executor, retries = 0 } = options
      if (!executor) return
      options.executor = async (...given: unknown[]) => {
        try {
          await Reflect.apply(executor, undefined, given)
        } catch (error) {
          if (error instanceof Error) error.message += await describeOpenPages()
          const attempt = options.retryAttempt ?? 1
          if (attempt <= retries) {
            process.stdout.write(`  try ${attempt} of "${title}" failed: ${inspect(error)}\n`)
          }
          throw error
        }
      }
    }),
]

/**
 * `fileReporter` writes a file with the results. `./berth test` sums up the results of all runners from these files.
 */
export const reporters: Config['reporters'] = {
  activated: ['spec', 'groups', 'berth'],
  list: [japaReporters.spec(), groupReporter, fileReporter],
}

export const runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>> = {
  setup: [
    /** Starts a fake DNS server, so that no test depends on the DNS records of real domains. */
    async () => {
      const { address, stop } = await startDnsServer()
      env.set('DNS_SERVERS' as never, address as never)
      return stop
    },
  ],
  teardown: [stopVaultService],
}

export const configureSuite: Config['configureSuite'] = (suite) => {
  if (suite.name !== 'packages') {
    suite.setup(() => keepReportingHosts())
    suite.setup(async () => {
      const stop = await testUtils.httpServer().start()
      // Long, because at the default of 5 s a busy process may reuse a connection just when the server closes it.
      server.getNodeServer()!.keepAliveTimeout = 300_000
      return async () => {
        // Closes the browser first: a page that a failed test left open would keep its connection to the server.
        await closeBrowser()
        await stop()
      }
    })
  }
  if (['isolated', 'pages', 'browser', 'conformance'].includes(suite.name)) {
    suite.setup(() => void (process.env.CSRF = 'on'))
  }
  // A flaky test is a bug, so no test is retried by default. With `BERTH_RETRIES=1`, a developer who looks for the
  // cause can retry the tests that use whole machines, consoles and browsers. The summary names the retried tests.
  if (
    [
      'system',
      'service',
      'processes',
      'consoles',
      'isolated',
      'pages',
      'browser',
      'conformance',
    ].includes(suite.name)
  ) {
    suite.onGroup((group) => group.each.retry(Number(process.env.BERTH_RETRIES ?? 0)))
  }
}
