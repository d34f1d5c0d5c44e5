import { useIntl } from 'react-intl';
import { DateTimePicker, Grid, GridItem, SingleSelect, SingleSelectOption, TextInput } from '@strapi/design-system';
import { label } from '../texts.js';

const actions = ['create', 'update', 'publish', 'unpublish', 'delete'];

/** The filters of the page of changes. `filters` has the parameters of `GET /admin/api/audit/content`. */
export function AuditFilters({ filters, onChange }) {
  const { formatMessage } = useIntl();
  const fieldOf = (name) => ({
    name,
    label: formatMessage(label(`audit.${name}`)),
    value: filters[name] ?? '',
    set: (value) => onChange({ ...filters, [name]: value }),
  });
  const fields = [
    <TextFilter {...fieldOf('uid')} hint="api::article.article" />,
    <TextFilter {...fieldOf('id')} />,
    <ActionFilter {...fieldOf('action')} />,
    <TextFilter {...fieldOf('by')} hint={formatMessage(label('audit.byHint'))} />,
    <TimeFilter {...fieldOf('from')} />,
    <TimeFilter {...fieldOf('to')} />,
  ];
  return (
    <Grid gap={4}>
      {fields.map((field) => (
        <GridItem key={field.props.name} col={4} s={12}>
          {field}
        </GridItem>
      ))}
    </Grid>
  );
}

const TextFilter = ({ set, ...rest }) => <TextInput {...rest} onChange={({ target }) => set(target.value.trim())} />;

const TimeFilter = ({ set, value, ...rest }) => (
  <DateTimePicker
    {...rest}
    value={value === '' ? null : new Date(value)}
    onChange={(time) => set(time?.toISOString() ?? '')}
    onClear={() => set('')}
  />
);

function ActionFilter({ set, ...rest }) {
  const { formatMessage } = useIntl();
  return (
    <SingleSelect {...rest} placeholder={formatMessage(label('audit.all'))} onChange={set} onClear={() => set('')}>
      {actions.map((name) => (
        <SingleSelectOption key={name} value={name}>
          {formatMessage(label(`actions.${name}`))}
        </SingleSelectOption>
      ))}
    </SingleSelect>
  );
}
