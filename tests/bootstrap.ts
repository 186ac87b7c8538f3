import { assert } from '@japa/assert'
import { apiClient } from '@japa/api-client'
import app from '@adonisjs/core/services/app'
import type { Config } from '@japa/runner/types'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
import testUtils from '@adonisjs/core/services/test_utils'
import * as japaReporters from '@japa/runner/reporters'
import env from '#start/env'
import { reportGroups, reportToFile } from '../cli/test_reporter.js'
import { stopVaultService } from '#packages/vault-service/tests/service'
import { closeBrowser } from './support/browser.js'
import { startDns } from './support/dns.js'

export const plugins: Config['plugins'] = [
  assert(),
  apiClient({ baseURL: `http://127.0.0.1:${process.env.PORT}` }),
  pluginAdonisJS(app),
]

/** `./berth test` adds up the results of all runners from the second one's file. */
export const reporters: Config['reporters'] = {
  activated: ['spec', 'groups', 'berth'],
  list: [japaReporters.spec(), reportGroups, reportToFile],
}

export const runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>> = {
  setup: [
    /** Domains are looked up here, so that no test depends on names that others own. */
    async () => {
      const { address, stop } = await startDns()
      env.set('DNS_SERVERS' as never, address as never)
      return stop
    },
  ],
  teardown: [stopVaultService],
}

export const configureSuite: Config['configureSuite'] = (suite) => {
  if (suite.name !== 'packages') suite.setup(() => testUtils.httpServer().start())
  if (['alone', 'browser', 'conformance'].includes(suite.name)) {
    suite.setup(() => void (process.env.CSRF = 'on'))
    suite.teardown(closeBrowser)
  }
  // Whole machines, consoles and browsers on a busy machine: a second try, which the summary names.
  if (['system', 'consoles', 'alone', 'browser', 'conformance'].includes(suite.name)) {
    suite.onGroup((group) => group.each.retry(Number(process.env.BERTH_RETRIES ?? 1)))
  }
}
