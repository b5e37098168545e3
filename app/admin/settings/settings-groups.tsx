import { type FieldMetadata, getInputProps, getTextareaProps, type useForm } from "@conform-to/react";
import { Fragment, type ReactNode } from "react";
import type { z } from "zod";
import { DEFAULT_ADMIN_SESSIONS } from "#core/accounts/rules.ts";
import type { BackupHealth } from "#core/backups/backup-record.ts";
import type { StoreSettingsToEdit } from "#core/catalog/edit-store-settings.server.ts";
import {
  ACCENTS,
  type Accent,
  DEFAULT_BENEFITS,
  DEFAULT_HEADLINE,
  STORE_LIMITS,
} from "#core/catalog/limits.ts";
import type { storeSettingsSchema } from "#core/catalog/store-schemas.ts";
import { OTHER_LANGUAGES } from "#core/catalog/translations.ts";
import { DEFAULT_DEVICE_RULES } from "#core/devices/rules.ts";
import { DEFAULT_VALIDITY_DAYS } from "#core/giveaways/rules.ts";
import { Card } from "../../ui/card.tsx";
import { SelectField, TextAreaField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import type { Elements } from "../../ui/texts/texts.ts";
import { fieldProps } from "../forms/admin-form.tsx";
import { TranslationField } from "../forms/translation-field.tsx";
import { SETTINGS_GROUPS, type SettingsGroup } from "./group-navigation.tsx";

/** The fields of the form of the store settings. */
type SettingsFields = ReturnType<
  typeof useForm<z.input<typeof storeSettingsSchema>, z.output<typeof storeSettingsSchema>>
>[1];

/** The settings, the tools of which one can be given away, and the backups. */
export interface SettingsView {
  settings: StoreSettingsToEdit;
  tools: { slug: string; name: string }[];
  backups: BackupHealth;
}

interface GroupProps {
  fields: SettingsFields;
  settings: SettingsView["settings"];
}

const CLAIMS = [
  ["rating", "Average rating", "4.8/5"],
  ["users", "Users", "200+"],
  ["tools", "Tools", "12"],
  ["satisfaction", "Satisfaction", "97%"],
  ["support", "Support claim", "24/7"],
] as const;

const TEXTS = [
  ["terms", "Terms"],
  ["refund", "Refunds"],
  ["privacy", "Privacy"],
  ["contact", "Contact"],
] as const;

export function ShopGroup({ fields, settings }: GroupProps) {
  return (
    <Group id="shop">
      <Field field={fields.name} label="Store name" required />
      <SelectField
        label="Accent colour"
        name={fields.accent.name}
        id={fields.accent.id}
        defaultValue={fields.accent.initialValue}
        errors={fields.accent.errors}
        options={ACCENTS.map((accent) => ({ value: accent, label: ACCENT_LABELS[accent] }))}
      />
      <Field field={fields.headline} label="Headline" placeholder={DEFAULT_HEADLINE} />
      <Translations
        of={(texts) => texts.headline}
        english={fields.headline}
        fields={fields}
        label="Headline"
      />
      <TextField
        label="Time zone"
        value={settings.timeZone}
        readOnly
        hint={<SetByVariable variable="STORE_TIME_ZONE" />}
      />
    </Group>
  );
}

const ACCENT_LABELS: Record<Accent, string> = {
  marigold: "Marigold",
  coral: "Coral",
  mint: "Mint",
  sky: "Sky",
  lilac: "Lilac",
};

export function BenefitsGroup({ fields }: Pick<GroupProps, "fields">) {
  return (
    <Group
      id="benefits"
      text="What every pass brings, shown where it is bought. Fill in all three, or none for the defaults."
      columns="sm:grid-cols-3"
    >
      {fields.benefits.getFieldList().map((benefit, at) => (
        <Field
          key={benefit.key}
          field={benefit}
          label={`Benefit ${at + 1}`}
          placeholder={DEFAULT_BENEFITS[at] ?? ""}
        />
      ))}
      {fields.benefits.getFieldList().map((benefit, at) => (
        <Translations
          key={benefit.key}
          of={(texts) => texts.benefits.getFieldList()[at]}
          english={benefit}
          fields={fields}
          label={`Benefit ${at + 1}`}
        />
      ))}
    </Group>
  );
}

export function SellerGroup({ fields }: Pick<GroupProps, "fields">) {
  const { name, city, since, gstin } = fields.seller.getFieldset();
  return (
    <Group
      id="seller"
      text="Shown on the home page and in the footer. Buyers trust a shop that says who sells. Only the name is required."
      columns="sm:grid-cols-2 lg:grid-cols-4"
    >
      <Field field={name} label="Seller" placeholder="Asha Digital Services" />
      <Field field={city} label="City" placeholder="Pune" />
      <NumberField field={since} label="Since (year)" placeholder="2021" />
      <Field field={gstin} label="GSTIN" placeholder="27ABCDE1234F1Z5" autoCapitalize="characters" />
    </Group>
  );
}

export function ClaimsGroup({ fields, settings }: GroupProps) {
  const claims = fields.claims.getFieldset();
  return (
    <Group
      id="claims"
      text={
        settings.claimsAreExamples
          ? "These are the claims of the demo, and the home page says that they are examples. Replace them with what is true for your shop; an empty field is not shown."
          : "Shown on the home page. Say only what is true for your shop; an empty field is not shown."
      }
      columns="sm:grid-cols-3 lg:grid-cols-5"
    >
      {CLAIMS.map(([name, label, example]) => (
        <Field key={name} field={claims[name]} label={label} placeholder={example} />
      ))}
    </Group>
  );
}

export function SupportGroup({ fields, settings }: GroupProps) {
  const { readOnly, supportPhones } = settings;
  return (
    <Group id="support" text="The chat numbers that buyers see. An empty number is not shown.">
      {fields.supportPhones.getFieldList().map((phone, at) => {
        const { label, number } = phone.getFieldset();
        return readOnly.supportPhones ? (
          <ReadOnlyField
            key={phone.id}
            label={`Support number ${at + 1}`}
            value={supportPhones[at]?.number ?? ""}
            variable="SUPPORT_PHONES"
          />
        ) : (
          <div key={phone.id} className="grid gap-3 sm:grid-cols-2">
            <Field
              field={number}
              label={`Support number ${at + 1}`}
              type="tel"
              inputMode="tel"
              autoComplete="off"
              placeholder="+919876543210"
            />
            <Field field={label} label={`Name of number ${at + 1}`} placeholder={`Support chat ${at + 1}`} />
          </div>
        );
      })}
    </Group>
  );
}

export function LinksGroup({ fields, settings }: GroupProps) {
  const { readOnly, dealsChannel } = settings;
  const channel = fields.dealsChannel.getFieldset();
  return (
    <Group id="links" text="A link without an address is not shown.">
      <UrlField
        field={channel.url}
        label="Deals channel"
        isSetOnServer={readOnly.dealsChannelUrl}
        value={dealsChannel?.url}
        variable="DEALS_CHANNEL_URL"
      />
      <Field field={channel.label} label="Name of the deals channel" placeholder="Deals channel" />
      <UrlField
        field={fields.demoVideoUrl}
        label="Demo video"
        hint="The embed address of a video at YouTube, Vimeo or another site. /demo-video.webm is the video of the demo."
        isSetOnServer={readOnly.demoVideoUrl}
        value={settings.demoVideoUrl}
        variable="DEMO_VIDEO_URL"
      />
    </Group>
  );
}

export function GiveawayGroup({ fields, settings, tools }: GroupProps & Pick<SettingsView, "tools">) {
  return (
    <Group
      id="giveaway"
      text="Every day the first customer to claim it gets a free pass for this tool. It uses no stock. Another tool or validity applies from the next day; No giveaway stops it at once."
    >
      <SelectField
        label="Tool to give away"
        name={fields.giveawayToolSlug.name}
        id={fields.giveawayToolSlug.id}
        defaultValue={fields.giveawayToolSlug.initialValue}
        errors={fields.giveawayToolSlug.errors}
        options={giveawayOptions(tools, settings.giveawayToolSlug)}
      />
      <NumberField
        field={fields.giveawayValidityDays}
        label="Validity of the pass (days)"
        placeholder={String(DEFAULT_VALIDITY_DAYS)}
      />
    </Group>
  );
}

export function ExtensionGroup({ fields }: Pick<GroupProps, "fields">) {
  const devices = fields.devices.getFieldset();
  return (
    <Group
      id="extension"
      text="In how many browsers a buyer can use the extension at the same time, and how often a buyer can release one for another. An empty field means the default."
    >
      <NumberField
        field={devices.perUser}
        label="Devices per buyer"
        placeholder={String(DEFAULT_DEVICE_RULES.devicesPerUser)}
      />
      <NumberField
        field={devices.releasesPer30Days}
        label="Releases in 30 days"
        placeholder={String(DEFAULT_DEVICE_RULES.releasesPerPeriod)}
        hint="By the buyer. What you release in Users Management is not counted."
      />
    </Group>
  );
}

export function AdminSessionsGroup({ fields }: Pick<GroupProps, "fields">) {
  const sessions = fields.adminSessions.getFieldset();
  return (
    <Group
      id="admin-sign-in"
      text="When admins have to sign in again. Leave a field empty for the default. Changes apply at once, even to admins who are signed in."
    >
      <NumberField
        field={sessions.idleHours}
        label="Sign out after hours of inactivity"
        placeholder={String(DEFAULT_ADMIN_SESSIONS.idleHours)}
        hint={`From 1 to ${STORE_LIMITS.adminIdleHours}.`}
      />
      <NumberField
        field={sessions.maxDays}
        label="Sign out after days in any case"
        placeholder={String(DEFAULT_ADMIN_SESSIONS.maxDays)}
        hint={`From 1 to ${STORE_LIMITS.adminSessionDays}.`}
      />
    </Group>
  );
}

export function TextsGroup({ fields }: Pick<GroupProps, "fields">) {
  const texts = fields.texts.getFieldset();
  return (
    <Group
      id="texts"
      text="Plain text. An empty line starts a new paragraph. Each text is a page that the footer links to; without a text there is no page."
    >
      {TEXTS.map(([name, label]) => (
        <Fragment key={name}>
          <TextAreaField {...getTextareaProps(texts[name])} label={label} errors={texts[name].errors} />
          <Translations
            of={(translated) => translated.texts.getFieldset()[name]}
            english={texts[name]}
            fields={fields}
            label={label}
            isLong
          />
        </Fragment>
      ))}
    </Group>
  );
}

type TranslatedTexts = ReturnType<
  NonNullable<ReturnType<SettingsFields["translations"]["getFieldset"]>["hi"]>["getFieldset"]
>;

interface TranslationsProps extends Pick<GroupProps, "fields"> {
  label: string;
  english: FieldMetadata<unknown>;
  /** The field among the texts of a language. */
  of: (texts: TranslatedTexts) => FieldMetadata<unknown> | undefined;
  isLong?: boolean;
}

/** The same text in the other languages. */
function Translations({ fields, label, english, of, isLong = false }: TranslationsProps) {
  const languages = fields.translations.getFieldset();
  return OTHER_LANGUAGES.map((language) => {
    const field = of(languages[language].getFieldset());
    return field === undefined ? null : (
      <TranslationField
        key={language}
        {...fieldProps(field)}
        language={language}
        label={label}
        hasEnglish={Boolean(english.value)}
        isLong={isLong}
      />
    );
  });
}

type FieldProps = Omit<React.ComponentProps<typeof TextField>, "errors"> & { field: FieldMetadata<unknown> };

function Field({ field, type = "text", ...rest }: FieldProps) {
  const { key: _, ...input } = getInputProps(field, { type: type === "tel" ? "tel" : "text" });
  return <TextField {...input} {...rest} errors={field.errors} />;
}

function NumberField(props: FieldProps) {
  return <Field inputMode="numeric" autoComplete="off" {...props} />;
}

type UrlFieldProps = Omit<FieldProps, "value"> & {
  label: string;
  /** The environment variable that can set it instead. */
  variable: string;
  isSetOnServer: boolean;
  value: string | null | undefined;
};

/** An address, which is only shown when the server sets it. */
function UrlField({ isSetOnServer, variable, value, ...field }: UrlFieldProps) {
  return isSetOnServer ? (
    <ReadOnlyField label={field.label} value={value ?? ""} variable={variable} />
  ) : (
    <Field inputMode="url" placeholder="https://" {...field} />
  );
}

/** It has no name, so it is not sent. */
function ReadOnlyField({ label, value, variable }: { label: string; value: string; variable: string }) {
  return <TextField label={label} value={value} readOnly hint={<SetByVariable variable={variable} />} />;
}

function SetByVariable({ variable }: { variable: string }) {
  return <span>{`Set on the server, in ${variable}. It cannot be changed here.`}</span>;
}

function Group(group: { id: SettingsGroup; text?: string; columns?: string; children: ReactNode }) {
  const { id, text, columns = "xl:grid-cols-2", children } = group;
  return (
    <GroupCard id={id} text={text}>
      <div className={`grid items-start gap-3 ${columns}`}>{children}</div>
    </GroupCard>
  );
}

interface GroupCardProps {
  id: SettingsGroup;
  text?: string | undefined;
  children: Elements;
}

/** A group of the settings page. Its id is a part of links to it. */
export function GroupCard({ id, text, children }: GroupCardProps) {
  return (
    <Card className="p-4">
      <section
        id={id}
        aria-labelledby={`${id}-title`}
        tabIndex={-1}
        className="flex scroll-mt-4 flex-col gap-3 outline-none"
      >
        <div>
          <h2 id={`${id}-title`} className="text-base">
            {SETTINGS_GROUPS[id]}
          </h2>
          {text ? <p className="text-muted text-xs">{text}</p> : null}
        </div>
        {children}
      </section>
    </Card>
  );
}

function giveawayOptions(tools: SettingsView["tools"], current: string | null) {
  const onSale = tools
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ slug, name }) => ({ value: slug, label: name }));
  const isListed = current === null || onSale.some(({ value }) => value === current);
  return [
    { value: "", label: "No giveaway" },
    ...onSale,
    ...(isListed ? [] : [{ value: current, label: `${current} (not on sale)` }]),
  ];
}
