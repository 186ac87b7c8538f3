import styles from './filters.module.css'

/** A filter. Its name is also the URL parameter. */
export type FilterField =
  | { kind: 'date'; name: string; label: string }
  | {
      kind: 'choice'
      name: string
      label: string
      /** Label of the option that filters nothing, such as "Everyone". */
      all: string
      options: { value: string; label: string }[]
    }

interface FiltersProps {
  fields: FilterField[]
  values: Record<string, string>
  onChange: (values: Record<string, string>) => void
}

export function Filters({ fields, values, onChange }: FiltersProps) {
  const change = (name: string, value: string) => {
    const rest = Object.entries(values).filter(([key]) => key !== name)
    onChange(Object.fromEntries(value ? [...rest, [name, value]] : rest))
  }
  return (
    <div className={styles.filters} role="group" aria-label="Filters">
      {fields.map((field) => (
        <label key={field.name} className={styles.field}>
          <span>{field.label}</span>
          {field.kind === 'date' ? (
            <input
              // The field is uncontrolled: a partly typed date has an empty value, which would clear a controlled
              // field.
              key={values[field.name] ?? ''}
              type="date"
              min="2000-01-01"
              max="2099-12-31"
              defaultValue={values[field.name] ?? ''}
              onBlur={({ currentTarget: { value } }) => {
                if (value !== (values[field.name] ?? '')) change(field.name, value)
              }}
              onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
            />
          ) : (
            <select
              value={values[field.name] ?? ''}
              onChange={({ currentTarget: { value } }) => change(field.name, value)}
            >
              <option value="">{field.all}</option>
              {field.options.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </label>
      ))}
      {Object.keys(values).length > 0 && (
        <button type="button" className={styles.clear} onClick={() => onChange({})}>
          Clear
        </button>
      )}
    </div>
  )
}
