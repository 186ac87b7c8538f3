/** Why a goal is missed: by bench, then by the beginning of its case. A miss without a reason fails the tests, and so does a reason without a miss. */
export const misses: Record<string, Record<string, string>> = {
  chat: {
    'web process':
      'A third is writes to sockets, most of the rest what the framework does for a request before it is known to be a poll that finds nothing (decision 0032).',
  },
  front: {
    'Start to first page':
      'PostgreSQL, migrations and web start one after the other; web alone takes more than a second to load its modules.',
    'Memory at rest':
      'Seven Node processes, PostgreSQL, Incus and Caddy: a Node process that has loaded the framework holds 49 MB (decision 0023).',
    'JavaScript: Login':
      'React, Inertia and Mantine with the form; the landing page does without the last.',
    'JavaScript: Admin dashboard': 'React, Inertia, Mantine and the frame of the area.',
    'JavaScript: Host instance list':
      'React, Inertia, Mantine, the frame of the area and the list.',
  },
  mail: {
    'accept 4 KB, 1 at once':
      'Nothing is shared by calls that come one by one: the row of a message is found, counted and limited before it is flushed (decision 0029).',
    'accept 4 KB, 10 at once': 'The same; groups are small (decision 0029).',
    'accept 4 KB, 50 at once, p99': 'One thread composes what fifty bring (decision 0029).',
    'drain to a sink':
      'A line waits for what came of its last letter, so that a kill doubles one at most (decision 0029).',
  },
  pages: {
    'bills, searched, in the database':
      'Parts of three letters that most numbers share ("000") are read before those that few have.',
    'bills, first, 4 at once':
      'A visit asks for session, person, menu and counts besides, and the framework renders it; the bare server asks for the list alone (decision 0042).',
    'all pages at 50 visits/s':
      'Fifty visits of 11 ms and the sorted pages deep in a million rows are more than one web process has on two cores with the load.',
    'e-mails, middle': 'By less than a run differs from the next.',
    'e-mails, last': 'By less than a run differs from the next.',
  },
  provision: {
    One: 'The order, its operation and its jobs are rows that are committed around what Incus does.',
  },
  terminal: { '200 MB, SSH': 'By less than a run differs from the next.' },
  vault: {
    'upload 4 KB': 'Each upload is a commit of PostgreSQL beside the flush of its file.',
    'read 64 KB, hot': 'By less than a run differs from the next.',
  },
}
