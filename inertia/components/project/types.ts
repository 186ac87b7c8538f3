export type {
  InstanceChoice,
  ProjectRowWithCustomer,
  NodeProcess,
  PhpChoices,
  ProcessStatus,
  ProjectListPage,
  ProjectPage,
  ProjectRow,
  ProjectView,
  SiteLogs,
  WordpressState,
} from '#projects/transformers/page_props'
export type { AdditionalDomain, VirtualHost } from '#projects/virtual_host/virtual_host_types'
