import { incusOf } from '#compute/connections'
import { sampleHosts } from '#compute/metrics/sample_chore'
import { defineChore } from '#core/schedule'

defineChore({ name: 'compute.sample-hosts', every: 60, run: () => sampleHosts(incusOf) })
