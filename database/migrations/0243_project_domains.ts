import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Allows several domains per project. A domain belongs to at most one project, and may redirect to the project's main
 * domain. `keeps_http`: HTTP requests are served instead of redirected to HTTPS.
 * The previous release never sets `project_id`. Null means that the project is found by the domain's name.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table domains
        add column project_id bigint references projects (id) on delete set null,
        add column redirect_to varchar(255),
        add column keeps_http boolean not null default false,
        add constraint domains_redirect_check check (redirect_to <> subdomain)`)
    this.schema.raw('create index domains_project_id on domains (project_id)')
    this.schema.raw(`
      update domains set project_id = projects.id from projects
      where projects.server_instance_id = domains.server_instance_id
        and projects.status <> 'deleted'
        and projects.virtual_host ->> 'subdomain' = domains.subdomain`)
    this.schema.raw(`
      create trigger domains_edge_redirect_changes
      after update of project_id, redirect_to, keeps_http on domains for each row
      when ((old.project_id, old.redirect_to, old.keeps_http)
        is distinct from (new.project_id, new.redirect_to, new.keeps_http))
      execute function tell_edge_of_domains()`)
  }

  async down() {
    this.schema.raw('drop trigger domains_edge_redirect_changes on domains')
    this.schema.raw(`
      alter table domains drop column project_id, drop column redirect_to, drop column keeps_http`)
  }
}
