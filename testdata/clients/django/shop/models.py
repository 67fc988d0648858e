"""Tables with a column of each kind, keys, and constraints."""
from django.db import models


class Maker(models.Model):
    name = models.CharField(max_length=40, unique=True)


class Tag(models.Model):
    word = models.SlugField()


class Item(models.Model):
    maker = models.ForeignKey(Maker, on_delete=models.CASCADE, related_name="items")
    tags = models.ManyToManyField(Tag)
    name = models.CharField(max_length=40, db_index=True)
    text = models.TextField(blank=True)
    price = models.DecimalField(max_digits=10, decimal_places=2)
    weight = models.FloatField(null=True)
    count = models.PositiveIntegerField(default=0)
    big = models.BigIntegerField(default=0)
    on = models.BooleanField(default=True)
    made = models.DateTimeField()
    day = models.DateField(null=True)
    hour = models.TimeField(null=True)
    took = models.DurationField(null=True)
    data = models.BinaryField(null=True)
    key = models.UUIDField(null=True)
    facts = models.JSONField(null=True)
    ip = models.GenericIPAddressField(null=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["name", "maker"], name="once"),
            models.CheckConstraint(check=models.Q(price__gte=0), name="positive"),
        ]
        indexes = [models.Index(fields=["made", "-price"], name="made_price")]
