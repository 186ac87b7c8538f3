import { takeOverPgBossJobs } from '#core/take_over_pg_boss_jobs'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'jobs.adopt',
  label: 'Takes over emails and alerts that the previous release queued',
  every: 2,
  run: takeOverPgBossJobs,
})
