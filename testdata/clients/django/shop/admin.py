"""What the administration shows."""
from django.contrib import admin

from .models import Item, Maker, Tag


@admin.register(Item)
class ItemAdmin(admin.ModelAdmin):
    list_display = ["name", "maker", "price", "made"]
    list_filter = ["on", "maker"]
    search_fields = ["name", "text"]
    date_hierarchy = "made"


admin.site.register(Maker)
admin.site.register(Tag)
