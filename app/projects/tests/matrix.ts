import { makeInstance, makeProject } from '#projects/tests/fixtures'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

async function projectOf({ customer }: MatrixPeople) {
  return makeProject(await makeInstance(customer))
}

const nameOf = async (cast: MatrixPeople) => ({ params: { id: (await projectOf(cast)).id } })

/** Requests a change of a deleted project, so that no operation starts. */
const overOf = async (cast: MatrixPeople) => {
  const project = await projectOf(cast)
  await project.merge({ status: 'deleted' }).save()
  return { body: { id: project.id, status: 'active' } }
}

/** Requests a project on a stopped instance, so that the request does not connect to a machine. */
const restOf = async ({ customer }: MatrixPeople) => {
  const project = await makeProject(await makeInstance(customer, { status: 'stopped' }))
  return { params: { id: project.id } }
}

const newOf = async ({ customer }: MatrixPeople) => ({
  body: { server_instance_id: (await makeInstance(customer)).id },
})

/** Requests a stopped instance, so that the request does not connect to a machine. */
const stoppedOf = async ({ customer }: MatrixPeople) => {
  const { id } = await makeInstance(customer, { status: 'stopped' })
  return { body: { server_instance_id: id }, query: `server_instance_id=${id}&name=app` }
}

const environmentOf = async (cast: MatrixPeople) => {
  const project = await projectOf(cast)
  await project.merge({ environment: { A: '1' } }).save()
  const variables = [{ name: 'A' }]
  return {
    query: `project_id=${project.id}`,
    body: { project_id: project.id, variables, name: 'A' },
  }
}

const rows: MatrixRow[] = [
  ['GET /project/list', 'page', '302 200 200 302 302'],
  ['GET /project/:id', 'call', '401 200 404 401 401', nameOf],
  ['GET /project/:id/php', 'call', '401 409 404 401 401', restOf],
  ['GET /project/:id/logs', 'call', '401 409 404 401 401', restOf],
  ['GET /project/:id/wordpress', 'call', '401 409 404 401 401', restOf],
  ['POST /project/store', 'call', '401 422 422 401 401', newOf],
  ['POST /project/update', 'call', '401 409 404 401 401', overOf],
  ['POST /project/change-status', 'call', '401 409 404 401 401', overOf],
  ['POST /project/retry', 'call', '401 409 404 401 401', overOf],
  ['GET /project/pm2/list', 'call', '401 409 404 401 401', stoppedOf],
  ['GET /project/pm2/logs', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /project/pm2/start-new', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /project/pm2/process-action', 'call', '401 409 404 401 401', stoppedOf],
  ['GET /project/pm2/environment', 'call', '401 200 404 401 401', environmentOf],
  ['POST /project/pm2/environment', 'call', '401 200 404 401 401', environmentOf],
  ['POST /project/pm2/environment/reveal', 'call', '401 200 404 401 401', environmentOf],
  ['GET /admin/project/list', 'page', '302 302 302 200 200'],
  ['GET /admin/project/:id', 'call', '401 401 401 200 200', nameOf],
  ['GET /admin/project/:id/php', 'call', '401 401 401 409 409', restOf],
  ['GET /admin/project/:id/logs', 'call', '401 401 401 409 409', restOf],
  ['GET /admin/project/:id/wordpress', 'call', '401 401 401 409 409', restOf],
  ['POST /admin/project/update', 'call', '401 401 401 403 409', overOf],
  ['POST /admin/project/change-status', 'call', '401 401 401 403 409', overOf],
  ['POST /admin/project/retry', 'call', '401 401 401 403 409', overOf],
  ['GET /admin/project/pm2/list', 'call', '401 401 401 409 409', stoppedOf],
  ['GET /admin/project/pm2/logs', 'call', '401 401 401 409 409', stoppedOf],
  ['POST /admin/project/pm2/start-new', 'call', '401 401 401 403 409', stoppedOf],
  ['POST /admin/project/pm2/process-action', 'call', '401 401 401 403 409', stoppedOf],
  ['GET /admin/project/pm2/environment', 'call', '401 401 401 200 200', environmentOf],
  ['POST /admin/project/pm2/environment', 'call', '401 401 401 403 200', environmentOf],
  ['POST /admin/project/pm2/environment/reveal', 'call', '401 401 401 403 200', environmentOf],
]

export default rows
