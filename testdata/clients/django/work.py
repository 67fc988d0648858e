"""Makes the tables of the project, and works with them as sites do. Says what is otherwise than it should be, and at last how
much was checked. python3 work.py"""
import datetime
import io
import os
import uuid
from decimal import Decimal

os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
import django

django.setup()

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, models, transaction
from django.db.models import (Avg, BigIntegerField, Case, CharField, Count, Exists, F, Max, Min, OuterRef, Q, StdDev, Subquery,
                              Sum, Value, When, Window)
from django.db.models.functions import (Cast, Coalesce, Concat, ExtractIsoYear, ExtractWeek, Greatest, Length, Now, NullIf,
                                        RowNumber, Substr, TruncMonth, Upper)
from django.test import Client
from django.utils import timezone

from shop.models import Item, Maker, Tag

WHEN = datetime.datetime(2026, 11, 22, 10, 0, 0, 123456, tzinfo=datetime.timezone.utc)
checked = 0


def check(what, got, want):
    """Says so if got is not want."""
    global checked
    checked += 1
    if got != want:
        print(f"{what}: {got!r}, not {want!r}")


def output(*command, **options):
    """Returns what a command of Django's writes."""
    to = io.StringIO()
    call_command(*command, stdout=to, **options)
    return to.getvalue()


def fails(what, error, number, change):
    """Checks that a change fails with the server's error of a number, in a transaction of its own."""
    try:
        with transaction.atomic():
            change()
        check(what, None, number)
    except error as e:
        check(what, e.args[0], number)


def execute(q, *args):
    with connection.cursor() as c:
        c.execute(q, args)


def tables():
    output("makemigrations", "shop", verbosity=0)
    output("migrate", verbosity=0)
    output("createcachetable", verbosity=0)
    check("migrations left", "[ ]" in output("showmigrations"), False)
    output("check", databases=["default"])
    output("sqlmigrate", "auth", "0001")


def rows():
    makers = [Maker.objects.create(name="B"), Maker.objects.create(name="Ärger")]
    tags = [Tag.objects.create(word=w) for w in "xyz"]
    for i in range(10):
        Item.objects.create(
            maker=makers[i % 2], name=f"item{i}", text="löng " * i, price=Decimal("1.50") * i, weight=i / 3, count=i, big=2**62 + i, on=i % 3 == 0,
            made=WHEN + datetime.timedelta(days=i), day=datetime.date(2026, 1, 1 + i), hour=datetime.time(1, 2, i),
            took=datetime.timedelta(seconds=i, microseconds=5), data=bytes([0, 255, i]), key=uuid.UUID(int=i),
            facts={"a": [i, None, "x"], "b": {"c": i}}, ip=f"10.0.0.{i}").tags.set(tags[:i % 4])
    i = Item.objects.get(name="item7")
    check("a row", (i.text, i.price, i.weight, i.big, i.on, i.made, i.day, i.hour, i.took, i.data, i.key, i.facts, i.ip), (
        "löng " * 7, Decimal("10.50"), 7 / 3, 2**62 + 7, False, WHEN + datetime.timedelta(days=7), datetime.date(2026, 1, 8),
        datetime.time(1, 2, 7), datetime.timedelta(seconds=7, microseconds=5), bytes([0, 255, 7]), uuid.UUID(int=7),
        {"a": [7, None, "x"], "b": {"c": 7}}, "10.0.0.7"))


def conditions():
    for want, condition in [
        (1, Q(name__icontains="ITEM3")), (0, Q(name__contains="ITEM3")), (1, Q(name__contains="item3")),
        (2, Q(name__regex=r"m[12]$")), (0, Q(name__regex=r"M[12]$")), (2, Q(name__iregex=r"M[12]$")), (9, Q(text__startswith="lö")),
        (4, Q(id__in=Item.objects.filter(on=True).values("id"))), (9, Q(made__year=2026, made__month=11)),
        (1, Q(made__date=datetime.date(2026, 11, 25))), (10, Q(made__hour=10)), (2, Q(made__week_day=1)),
        (1, Q(facts__b__c=4)), (5, Q(facts__a__0__gt=4)), (1, Q(facts__contains={"b": {"c": 2}})), (10, Q(facts__has_key="b")),
        (10, Q(facts__a__1=None)), (3, Q(price__range=(3, 6))), (5, Q(took__gt=datetime.timedelta(seconds=5))),
        (3, ~Q(tags__word="x")), (0, Q(day__isnull=True)), (0, Q(count__lt=F("weight") * 2)), (5, Q(name="item1") | ~Q(on=False)),
    ]:
        check(condition, Item.objects.filter(condition).count(), want)
    items = Item.objects
    check("distinct", items.filter(tags__word__in=["x", "y"]).distinct().count(), 7)
    check("a slice", [i.name for i in items.order_by("-price")[2:4]], ["item7", "item6"])
    check("days", [d.day for d in items.datetimes("made", "day")][:2], [22, 23])
    check("months", len(items.dates("day", "month")), 1)
    check("union", items.filter(count=1).union(items.filter(count=2)).count(), 2)
    check("raw", [m.name for m in Maker.objects.raw("SELECT * FROM shop_maker WHERE name = %s", ["Ärger"])], ["Ärger"])
    check("joined", len([t for i in items.prefetch_related("tags").select_related("maker") for t in i.tags.all()]), 13)
    check("streamed", sum(1 for _ in items.iterator(chunk_size=2)), 10)
    check("explained", bool(items.all().explain()), True)


def expressions():
    items = Item.objects
    check("aggregates", items.aggregate(Sum("price"), Avg("count"), Max("made"), Min("name"), makers=Count("maker", distinct=True)), {
        "price__sum": Decimal("67.50"), "count__avg": 4.5, "made__max": WHEN + datetime.timedelta(days=9), "name__min": "item0", "makers": 2})
    check("deviation", round(items.aggregate(x=StdDev("count"))["x"], 4), 2.8723)
    summed = Maker.objects.annotate(n=Count("items"), s=Sum("items__price")).order_by("name")
    check("groups", list(summed.values_list("name", "n", "s")), [("Ärger", 5, Decimal("37.50")), ("B", 5, Decimal("30.00"))])
    check("having", summed.filter(n__gt=5).count(), 0)
    on = Case(When(on=True, then=Value("on")), default=Value("off"), output_field=CharField())
    check("cases", [i.x for i in items.annotate(x=on).order_by("id")][:3], ["on", "off", "off"])
    numbered = Window(RowNumber(), partition_by=[F("maker")], order_by=F("price").desc())
    check("window", [i.x for i in items.annotate(x=numbered).order_by("maker_id", "x")], [1, 2, 3, 4, 5] * 2)
    own = Item.objects.filter(maker=OuterRef("pk"))
    check("subquery", Maker.objects.annotate(x=Subquery(own.order_by("-price").values("name")[:1])).order_by("id")[1].x, "item9")
    check("exists", Maker.objects.filter(Exists(own.filter(price__gt=13))).count(), 1)
    months = items.annotate(m=TruncMonth("made")).values("m").annotate(n=Count("id")).order_by("m")
    check("by month", list(months.values_list("n", flat=True)), [9, 1])
    for what, expression, want in [
        ("concat", Concat("name", Value("-"), "maker__name"), "item1-Ärger"), ("upper", Upper("name"), "ITEM1"),
        ("length", Length("text"), 5), ("substr", Substr("name", 1, 2), "it"), ("cast", Cast("count", CharField()), "1"),
        ("coalesce", Coalesce("weight", Value(0.0)), 1 / 3), ("nullif", NullIf("count", Value(1)), None),
        ("greatest", Greatest("count", "big", output_field=BigIntegerField()), 2**62 + 1),
        ("year", ExtractIsoYear("made"), 2026), ("week", ExtractWeek("made"), 48),
    ]:
        check(what, items.annotate(x=expression).get(name="item1").x, want)
    check("now", abs(items.annotate(x=Now())[0].x - timezone.now()) < datetime.timedelta(minutes=10), True)


def changes():
    check("updated", Item.objects.filter(on=True).update(price=F("price") + 1, text=Concat("text", Value("!"))), 4)
    check("got", Maker.objects.get_or_create(name="B")[1], False)
    check("made", Maker.objects.update_or_create(name="C", defaults={"name": "D"})[1], True)
    Tag.objects.bulk_create([Tag(word=f"w{i}") for i in range(100)])
    check("many made", Tag.objects.count(), 103)
    Tag.objects.bulk_create([Tag(id=1, word="again")], ignore_conflicts=True)
    some = list(Tag.objects.all()[:5])
    for t in some:
        t.word = "q"
    Tag.objects.bulk_update(some, ["word"])
    check("many changed", Tag.objects.filter(word="q").count(), 5)
    with transaction.atomic():
        i = Item.objects.select_for_update().get(name="item1")
        i.count = 77
        i.save()
    check("saved", Item.objects.get(name="item1").count, 77)
    try:
        with transaction.atomic():
            Maker.objects.create(name="Z")
            fails("once more", IntegrityError, 1062, lambda: Maker.objects.create(name="B"))
            raise KeyError
    except KeyError:
        check("rolled back", Maker.objects.filter(name="Z").count(), 0)
    fails("too cheap", DatabaseError, 3819, lambda: Item.objects.filter(name="item1").update(price=-1))
    fails("has items", IntegrityError, 1451, lambda: execute("DELETE FROM shop_maker WHERE name = %s", "B"))
    check("deleted with it", Maker.objects.filter(name="B").delete()[1].get("shop.Item"), 5)
    cache.set_many({"a": 1, "b": [2]}, 60)
    cache.incr("a")
    check("cached", cache.get_many(["a", "b", "c"]), {"a": 2, "b": [2]})
    output("clearsessions")


def description():
    with connection.cursor() as c:
        look = connection.introspection
        check("tables", "shop_item" in [t.name for t in look.get_table_list(c)], True)
        found = look.get_constraints(c, "shop_item")
        check("unique", found["once"]["columns"], ["name", "maker_id"])
        check("check", found["positive"]["check"], True)
        check("indexed", found["made_price"]["columns"], ["made", "price"])
        check("refers", look.get_relations(c, "shop_item"), {"maker_id": ("id", "shop_maker")})
        check("columns", [x.name for x in look.get_table_description(c, "shop_item")][:3], ["id", "name", "text"])
        check("counted", look.get_sequences(c, "shop_item"), [{"table": "shop_item", "column": "id"}])
    described = output("inspectdb")
    check("described", "class ShopItem" in described and not any(w in described for w in ("Unable", "unknown", "guess")), True)


def fixtures():
    written = output("dumpdata", "shop")
    with open("fixture.json", "w") as f:
        f.write(written)
    output("flush", interactive=False)
    check("flushed", Item.objects.count(), 0)
    output("loaddata", "fixture.json", verbosity=0)
    check("loaded", output("dumpdata", "shop"), written)


def administration():
    User.objects.create_superuser("boss", "boss@example.org", "secret")
    c = Client()
    check("signed in", c.login(username="boss", password="secret"), True)
    one = Item.objects.first().pk
    for page in ("", "shop/item/", "shop/item/?q=item&on__exact=1", "shop/item/?made__year=2026", "shop/item/add/", "auth/user/", "auth/group/add/",
                 f"shop/item/{one}/change/", f"shop/item/{one}/history/", f"shop/item/{one}/delete/"):
        check(page, c.get("/admin/" + page).status_code, 200)
    check("added", c.post("/admin/shop/maker/add/", {"name": "by hand"}).status_code, 302)
    check("is there", Maker.objects.filter(name="by hand").count(), 1)
    chosen = [i.pk for i in Item.objects.all()[:2]]
    answer = c.post("/admin/shop/item/", {"action": "delete_selected", "_selected_action": chosen, "post": "yes"})
    check("deleted", (answer.status_code, Item.objects.count()), (302, 3))
    check("logged", LogEntry.objects.count(), 3)


def field(of, name):
    of.set_attributes_from_name(name)
    return of


def alterations():
    name, count, meta = Item._meta.get_field("name"), Item._meta.get_field("count"), Item._meta
    extra, longer = field(models.CharField(max_length=10, default="x", null=True), "extra"), field(models.TextField(null=True), "extra")
    amount, wide = field(models.IntegerField(null=True), "amount"), field(models.CharField(max_length=80), "name")
    with connection.schema_editor() as to:
        to.add_field(Item, extra)
        to.alter_field(Item, extra, longer)
        to.remove_field(Item, longer)
        to.alter_field(Item, count, amount)
        to.alter_field(Item, amount, count)
        to.alter_field(Item, name, wide)
        for constraint in meta.constraints:
            to.remove_constraint(Item, constraint)
            to.add_constraint(Item, constraint)
        to.remove_index(Item, meta.indexes[0])
        to.add_index(Item, meta.indexes[0])
        to.alter_db_table(Tag, "shop_tag", "shop_label")
        to.alter_db_table(Tag, "shop_label", "shop_tag")
    output("migrate", "sites", "zero", verbosity=0)
    output("migrate", verbosity=0)
    check("still there", Item.objects.filter(tags__word="q").count() > 0, True)


for step in (tables, rows, conditions, expressions, changes, description, fixtures, administration, alterations):
    step()
print(checked, "checked")
