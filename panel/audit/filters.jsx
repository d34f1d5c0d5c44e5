import { useState } from 'react';
import { useIntl } from 'react-intl';
import { DateTimePicker, Grid, GridItem, SingleSelect, SingleSelectOption, TextInput } from '@strapi/design-system';
import { label } from '../texts.js';

const actions = ['create', 'update', 'draft', 'publish', 'unpublish', 'delete'];

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

/** A text that counts when its field is left, or after Enter, so that the service is not asked for each letter. */
function TextFilter({ set, value, ...rest }) {
  const [text, setText] = useState(value);
  const finish = () => set(text.trim());
  return (
    <TextInput
      {...rest}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={finish}
      onKeyDown={({ key }) => key === 'Enter' && finish()}
    />
  );
}

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
