import { test } from '@japa/runner'
import { parseOomKilledContainer } from '../oom_kills.ts'

const line = (oom: string, task: string, set = 'lxc.payload.web') =>
  `[ 3862.9] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=${set},mems_allowed=0,oom_memcg=${oom},task_memcg=${task},task=systemd,pid=1867,uid=1000000`

test.group('Host | instances that ran out of memory', () => {
  test('only a kernel log line about a container’s init process names the instance, and customers cannot forge such a line', ({
    assert,
  }) => {
    const own = '/lxc.payload.web'
    assert.equal(parseOomKilledContainer(line(own, `${own}/init.scope`)), 'web')
    assert.isNull(parseOomKilledContainer(line(own, `${own}/system.slice/apache2.service`)))
    assert.isNull(parseOomKilledContainer(line(own, '/lxc.payload.other/init.scope')))
    const nested = '/berth.slice/incus/lxc.payload.web'
    assert.equal(parseOomKilledContainer(line(nested, `${nested}/init.scope`)), 'web')
    const inside = `${own}/lxc.payload.other`
    assert.isNull(parseOomKilledContainer(line(inside, `${inside}/init.scope`)))
    // Customers choose the names of cgroups and programs in their instance. So they can choose names that look like a
    // line of the kernel log.
    const faked = `${own}/x,task_memcg=/lxc.payload.other/init.scope`
    assert.isNull(parseOomKilledContainer(line(own, faked)))
    assert.isNull(parseOomKilledContainer(line('/lxc.payload.web/a,oom_memcg=', `${own}/b`)))
  })
})
